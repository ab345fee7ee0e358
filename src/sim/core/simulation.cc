// SPDX-License-Identifier: Apache-2.0
#include "sim/core/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/config.h"
#include "plugins/registry.h"
#include "scheduler/core.h"
#include "sim/core/api_model.h"
#include "sim/core/checker.h"
#include "sim/core/controllers.h"
#include "sim/core/describe.h"
#include "sim/core/extender_model.h"
#include "sim/core/group_checks.h"
#include "sim/core/group_gates.h"
#include "sim/core/group_workload.h"
#include "sim/core/hold.h"
#include "sim/core/workload.h"

namespace berth::sim {
namespace {

constexpr Time kStart{1'700'000'000'000'000'000};
constexpr Duration kUnrest = Minutes(3);
constexpr Duration kRest = Minutes(12);  // Longer than pods wait at most without cause.
constexpr Duration kAfterTheEnd = Minutes(1);
constexpr Duration kAttemptMax = Milliseconds(1);
constexpr uint64_t kStepsMax = 200'000;

// After how many steps everything is looked at once more. That takes many times what a step does, so most seeds look
// from time to time, each at steps of its own, and some after every step.
uint64_t Stride(uint64_t seed) { return seed % 200 == 0 ? 1 : 32 + seed % 61; }

Faults DrawFaults(Dice& dice) {
  if (dice.Percent(20)) return {};
  return {.refused = dice.Between(0, 15),
          .lost_done = dice.Between(0, 10),
          .lost_not_done = dice.Between(0, 10),
          .gap = dice.Between(0, 5),
          .strikes = dice.Between(0, 60),
          .delay_max = dice.Percent(50) ? Milliseconds(100) : Seconds(5)};
}

class Simulation {
 public:
  // Looks at everything after every `stride` steps.
  Simulation(uint64_t seed, uint64_t stride, const std::function<void(const std::string&)>& trace)
      : seed_(seed),
        stride_(stride),
        gates_(GatesOf(seed)),
        dice_(seed),
        trace_(trace),
        server_(agenda_, dice_, [this](ApiModel::What what) { Step(std::move(what)); }) {
    StartCore();
  }

  CoreOutcome Run() {
    Controllers controllers(agenda_, dice_, server_);
    server_.set_faults(DrawFaults(dice_));
    workload_.Start(dice_.Between(20, 120), kStart + kUnrest);
    if (has_groups()) group_workload_.Start(dice_.Between(10, 60), kStart + kUnrest);
    for (int64_t i = dice_.Percent(25) ? dice_.Between(1, 3) : 0; i > 0; --i) {
      agenda_.After(dice_.UpTo(kUnrest), [this] { Restart(); });
    }
    RunUntil(kStart + kUnrest);
    server_.set_faults({});
    RunUntil(kStart + kUnrest + kRest);
    CheckEverything();
    Check(checker_->CheckAtRest());
    server_.set_on_removal([](const api::Object&) {});  // Nobody replaces what goes.
    workload_.RemoveEverything();
    RunUntil(agenda_.now() + kAfterTheEnd);
    Check(checker_->CheckNothingLeft());
    outcome_.binds = server_.bound().size();
    return outcome_;
  }

 private:
  bool failed() const { return !outcome_.failure.empty(); }
  bool has_groups() const { return gates_.Enabled(framework::Gate::kGenericWorkload); }

  void StartCore() {
    framework::SchedulerConfiguration configuration = config::Default(gates_);
    framework::Registry registry = plugins::BuiltIn();
    if (seed_ % 3 == 0) configuration.extenders = ModelledExtenders();
    if (has_groups()) {
      // First, because GangScheduling lets others go with a pod that a plugin behind it may still turn down.
      auto& enabled = configuration.profiles.front().plugins.multi_point.enabled;
      enabled.insert(enabled.begin(), {std::string(Hold::kName)});
      (void)registry.Add(framework::RowOf<Hold>(
          Hold::kName, [](const framework::PluginContext&) -> Result<std::unique_ptr<framework::Plugin>> {
            return std::make_unique<Hold>(kStart + kUnrest);
          }));
    }
    core_ = scheduler::Core::Create(configuration, registry, gates_, std::make_unique<framework::SeededChooser>(seed_),
                                    agenda_.now())
                .value();
    core_->CheckRankings(2);
    checker_ = std::make_unique<Checker>(*core_, server_);
    group_checks_ = std::make_unique<GroupChecks>(*core_);
  }

  // Another process takes over, and knows only what it lists.
  void Restart() {
    if (trace_) trace_(fmt::format("{:.3f} restart", Elapsed()));
    ++outcome_.restarts;
    StartCore();
    copy_.reset();
    is_listing_ = true;
    server_.Reconnect();
    is_listing_ = false;
  }

  void RunUntil(Time end) {
    while (!failed() && agenda_.now() < end) {
      // The driver schedules whenever there is work, but things of the world may come in between.
      const bool has_work = core_->HasWork();
      if (has_work && dice_.Percent(80)) {
        Step(scheduler::ScheduleNext{});
        PassAttempt(end);
        continue;
      }
      const Time limit = has_work ? std::min(end, agenda_.now() + Milliseconds(10)) : end;
      const Time deadline = std::min(core_->NextDeadline().value_or(limit), limit);
      if (const std::optional<Time> happening = agenda_.next(); happening && *happening <= deadline) {
        agenda_.RunNext();
      } else {
        agenda_.PassTo(deadline);
        Step(scheduler::PassTime{});
      }
    }
  }

  // An attempt takes a moment. Otherwise time would stand still for pods that are tried again and again, such as one
  // that stops a waiting gang of which other pods are going, until these are gone.
  void PassAttempt(Time end) {
    const Time busy_until = std::min(agenda_.now() + dice_.UpTo(kAttemptMax), end);
    agenda_.RunUntil(std::min(core_->NextDeadline().value_or(busy_until), busy_until));
  }

  void Step(ApiModel::What what) {
    if (failed()) return;
    if (trace_) trace_(fmt::format("{:.3f} {}", Elapsed(), Describe(what)));
    if (++outcome_.steps > kStepsMax) return Check("the run does not end");
    if (const auto* put = std::get_if<scheduler::PutObject>(&what)) {
      if (const auto* pod = std::get_if<api::Pod>(&put->object)) checker_->Remember(*pod);
    }
    if (seed_ % 4 == 0) RenewCopy();
    scheduler::Input input{agenda_.now(), std::move(what)};
    std::vector<scheduler::IssuedEffect> of_copy = copy_ ? copy_->Step(input) : std::vector<scheduler::IssuedEffect>();
    std::vector<scheduler::IssuedEffect> effects = core_->Step(std::move(input));
    if (copy_) Check(CompareWithCopy(effects, of_copy));
    if (!is_listing_) CheckStep();
    for (scheduler::IssuedEffect& effect : effects) Carry(std::move(effect));
  }

  // A copy that was made at a moment without bindings goes on as the original does.
  void RenewCopy() {
    const bool is_quiet = core_->bindings().size() == 0 && core_->queue().in_flight().empty();
    if (!is_quiet || outcome_.steps < next_copy_) return;
    next_copy_ = outcome_.steps + 50;
    copy_ = core_->Copy();
    ++outcome_.copies;
  }
  std::string CompareWithCopy(const std::vector<scheduler::IssuedEffect>& effects,
                              const std::vector<scheduler::IssuedEffect>& of_copy) const {
    const auto describe = [](const std::vector<scheduler::IssuedEffect>& all) {
      std::string text;
      for (const scheduler::IssuedEffect& effect : all) text += Describe(effect) + "; ";
      return text;
    };
    const std::string wanted = describe(effects);
    const std::string found = describe(of_copy);
    return wanted == found ? "" : fmt::format("the copy does \"{}\", not \"{}\"", found, wanted);
  }

  void CheckStep() {
    Check(checker_->CheckDecision());
    Check(checker_->CheckInFlight());
    Check(checker_->CheckDevices());
    Check(group_checks_->CheckStep(agenda_.now()));
    if (outcome_.steps % stride_ == 0) CheckEverything();
  }

  void Carry(scheduler::IssuedEffect issued) {
    const std::string text = Describe(issued);
    if (trace_) trace_("    " + text);
    for (const char c : text)
      outcome_.effect_hash = (outcome_.effect_hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    ++outcome_.effects;
    if (std::holds_alternative<framework::EvictPod>(issued.effect)) ++outcome_.evictions;
    Check(checker_->CheckEffect(issued.effect));
    Check(group_checks_->CheckEffect(issued.effect));
    const auto* bind = std::get_if<framework::BindPod>(&issued.effect);
    if (bind != nullptr && core_->cluster().groups.IsMember(*bind->pod)) ++outcome_.member_binds;
    server_.Carry(std::move(issued));
  }

  void CheckEverything() {
    Check(checker_->CheckPlaces());
    Check(checker_->CheckBound());
    Check(checker_->CheckCache());
    Check(group_checks_->CheckEverything());
  }

  void Check(const std::string& wrong) {
    if (wrong.empty() || failed()) return;
    outcome_.failure = fmt::format("step {} at {:.3f} s: {}", outcome_.steps, Elapsed(), wrong);
  }

  double Elapsed() const { return static_cast<double>((agenda_.now() - kStart).nanos) / 1e9; }

  const uint64_t seed_;
  const uint64_t stride_;
  const framework::FeatureGates gates_;
  runtime::Agenda agenda_{kStart};
  Dice dice_;
  const std::function<void(const std::string&)>& trace_;
  ApiModel server_;
  Workload workload_{agenda_, dice_, server_};
  GroupWorkload group_workload_{agenda_, dice_, server_, gates_};
  std::unique_ptr<scheduler::Core> core_;
  std::unique_ptr<scheduler::Core> copy_;  // Gets the same inputs; null: there is none.
  uint64_t next_copy_ = 0;                 // The first step at which it may be made anew.
  std::unique_ptr<Checker> checker_;
  std::unique_ptr<GroupChecks> group_checks_;
  bool is_listing_ = false;  // A core is told for the first time what there is.
  CoreOutcome outcome_;
};

}  // namespace

CoreOutcome Simulate(uint64_t seed, const std::function<void(const std::string&)>& trace) {
  const uint64_t stride = trace ? 1 : Stride(seed);
  CoreOutcome outcome = Simulation(seed, stride, trace).Run();
  if (outcome.failure.empty() || stride == 1) return outcome;
  // Once more, to name the step at which it went wrong, and not the one at which that was seen.
  CoreOutcome exact = Simulation(seed, 1, trace).Run();
  return exact.failure.empty() ? outcome : exact;
}

}  // namespace berth::sim
