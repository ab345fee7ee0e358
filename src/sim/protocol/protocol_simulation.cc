// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/protocol_simulation.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "api/decode/decode.h"
#include "client/informers.h"
#include "sim/core/group_gates.h"
#include "sim/core/pending_check.h"
#include "sim/protocol/cluster_checks.h"
#include "sim/protocol/cluster_life.h"
#include "sim/protocol/group_life.h"
#include "sim/protocol/live_instance.h"
#include "sim/protocol/served_cluster.h"

namespace berth::sim {
namespace {

constexpr Time kProtocolStart{1'700'000'000'000'000'000};
constexpr Duration kProtocolUnrest = Minutes(2);
constexpr Duration kProtocolRest = Minutes(7);  // Longer than pods wait at most without cause.
// A request of a process that died arrives by then.
constexpr Duration kAftermath = Seconds(5);

NetworkFaults DrawNetworkFaults(Dice& dice) {
  NetworkFaults faults;
  if (dice.Percent(10)) return faults;
  const int64_t most = dice.Between(1, 10);
  for (int64_t* chance : {&faults.refused, &faults.lost_request, &faults.lost_answer, &faults.repeated,
                          &faults.throttled, &faults.failed_before, &faults.failed_after, &faults.cut}) {
    *chance = dice.Between(0, most);
  }
  faults.delay_max = dice.Pick(std::array{Milliseconds(20), Milliseconds(500), Seconds(4)});
  return faults;
}

class ProtocolSimulation {
 public:
  ProtocolSimulation(uint64_t seed, const std::function<void(const std::string&)>& trace)
      : gates_(GatesOf(seed)), dice_(seed), trace_(trace), faults_(DrawNetworkFaults(dice_)) {
    cluster_.set_on_binding([this](const server::StoredObject& pod, std::string_view node) {
      Fail(cluster_checks_.CheckBinding(pod, node));
    });
    cluster_.Listen([this](const server::Change& change) { OnWrite(change); });
  }

  ProtocolOutcome Run() {
    life_.Start(dice_.Between(10, 50), kProtocolStart + kProtocolUnrest);
    if (gates_.Enabled(framework::Gate::kGenericWorkload)) {
      groups_.Start(dice_.Between(5, 30), kProtocolStart + kProtocolUnrest);
    }
    for (size_t i = 0; i < instances_.size(); ++i) StartLater(i, dice_.UpTo(Seconds(5)));
    PlanTrouble();
    RunUntil(kProtocolStart + kProtocolUnrest);
    Trace("the faults end");
    faults_ = {};
    cluster_.set_lag_max(Milliseconds(10));
    for (const auto& instance : instances_) {
      if (instance) instance->network().SetDown(false);
    }
    RunUntil(kProtocolStart + kProtocolUnrest + kProtocolRest);
    CheckAtRest();
    return outcome_;
  }

 private:
  bool failed() const { return !outcome_.failure.empty(); }
  void Trace(const std::string& line) {
    if (trace_) trace_(fmt::format("{:8.3f} {}", Elapsed(), line));
  }
  double Elapsed() const { return static_cast<double>((agenda_.now() - kProtocolStart).nanos) / 1e9; }

  void RunUntil(Time end) {
    while (!failed() && agenda_.next() && *agenda_.next() <= end) {
      agenda_.RunNext();
      for (size_t i = 0; i < instances_.size(); ++i) {
        if (!instances_[i]) continue;
        Fail(instances_[i]->Check());
        if (instances_[i]->has_ended()) End(i, "ends");
      }
    }
    agenda_.PassTo(end);
  }

  // Instances.

  void StartLater(size_t i, Duration delay) {
    agenda_.After(delay, [this, i] {
      LiveInstance::Options options;
      options.name = fmt::format("host{}_{}", i, ++outcome_.instances);
      options.clock_offset = elects_ ? dice_.UpTo(Minutes(10)) - Minutes(5) : Duration{};
      options.gates = gates_;
      options.elects = elects_;
      options.protobuf = dice_.Percent(50);
      options.delay_cache_until_active = dice_.Percent(20);
      options.core_delay_max = dice_.Pick(std::array{Milliseconds(1), Milliseconds(20), Seconds(1)});
      options.inbox_limit = dice_.Percent(50) ? 4096 : static_cast<size_t>(dice_.Between(1, 20));
      options.seed = static_cast<uint64_t>(dice_.Between(1, 1'000'000));
      Trace(options.name + " starts");
      instances_[i] = std::make_unique<LiveInstance>(
          LiveInstance::Surroundings{
              .agenda = agenda_,
              .dice = dice_,
              .cluster = cluster_,
              .faults = faults_,
              .server = [this](const net::Request& request,
                               const std::shared_ptr<Line>& line) { cluster_.Handle(request, line); },
              .probe = [this](const LiveInstance& sender, const net::Request& request) { OnSent(sender, request); },
              .trace = trace_ ? [this](const std::string& line) { Trace(line); }
                              : std::function<void(const std::string&)>()},
          std::move(options));
      instances_[i]->Start();
    });
  }

  void End(size_t i, std::string_view how) {
    Trace(fmt::format("{} {}", instances_[i]->name(), how));
    instances_[i].reset();
    StartLater(i, kAftermath + dice_.UpTo(Seconds(20)));
  }

  void PlanTrouble() {
    for (int64_t n = dice_.Between(0, 8); n > 0; --n) {
      const auto i = static_cast<size_t>(dice_.Between(0, static_cast<int64_t>(instances_.size()) - 1));
      const int64_t what = dice_.Between(0, 4);
      agenda_.After(dice_.UpTo(kProtocolUnrest), [this, i, what] {
        switch (what) {
          case 0: return cluster_.Compact();
          case 1: return Restart();
          case 2: return instances_[i] ? End(i, "crashes") : void();
          case 3: return instances_[i] ? Stop(i) : void();
          default: return SetDown(i, dice_.UpTo(Seconds(40)));
        }
      });
    }
  }

  // The API server is gone for a moment.
  void Restart() {
    const Duration outage = dice_.UpTo(Seconds(20));
    for (size_t i = 0; i < instances_.size(); ++i) SetDown(i, outage);
  }

  void Stop(size_t i) {
    Trace(instances_[i]->name() + " is stopped");
    instances_[i]->Stop();
  }

  void SetDown(size_t i, Duration outage) {
    if (!instances_[i]) return;
    Trace(instances_[i]->name() + " is cut off");
    instances_[i]->network().SetDown(true);
    agenda_.After(outage, [this, i] {
      if (instances_[i]) instances_[i]->network().SetDown(false);
    });
  }

  // Checks.

  void Fail(const std::string& wrong) {
    if (wrong.empty() || failed()) return;
    outcome_.failure = fmt::format("at {:.3f} s: {}", Elapsed(), wrong);
  }

  void OnSent(const LiveInstance& sender, const net::Request& request) {
    ++outcome_.requests;
    for (const std::string_view part : {std::string_view(request.method), std::string_view(request.target)}) {
      for (const char c : part)
        outcome_.request_hash = (outcome_.request_hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    if (sender.elects()) Fail(cluster_checks_.CheckSender(sender.name(), request));
  }

  void OnWrite(const server::Change& change) {
    const server::StoredObject& object = *change.object;
    const std::string_view kind = object.resource().kind;
    const bool is_removal = change.type == server::Change::Type::kDeleted;
    if (trace_) Trace(fmt::format("{} {}", is_removal ? "removed" : "written", *object.json()));
    if (is_removal) return;
    if (kind == "Lease") {
      const std::string holder = (*object.tree())["spec"]["holderIdentity"].text();
      if (!holder.empty() && std::exchange(last_holder_, holder) != holder) ++outcome_.leaders;
    }
    if (kind == "Pod") {
      const std::string_view node = object.Field("spec.nodeName");
      if (!node.empty() && change.before != nullptr && change.before->Field("spec.nodeName").empty()) {
        ++outcome_.bindings;
        if ((*object.tree())["spec"]["schedulingGroup"].is_map()) ++outcome_.member_bindings;
      }
    }
    Fail(cluster_checks_.CheckWrite(change));
  }

  void CheckAtRest() {
    const LiveInstance* leader = nullptr;
    size_t leading = 0;
    for (const auto& instance : instances_) {
      if (!instance) continue;
      Fail(instance->CheckAtRest());
      if (!instance->is_leading()) continue;
      leader = instance.get();
      ++leading;
    }
    if (leading != 1) return Fail(fmt::format("at rest, {} instances lead", leading));
    std::vector<api::Object> objects;
    for (const client::WatchedResource& resource : client::SchedulerResources(client::GroupsOf(gates_))) {
      for (const auto& [key, object] : cluster_.All(resource.kind))
        objects.push_back(api::DecodeObject(api::Value(*object->tree())).value());
    }
    Fail(FindWhatFits(leader->core(), std::move(objects)));
  }

  const framework::FeatureGates gates_;
  runtime::Agenda agenda_{kProtocolStart};
  Dice dice_;
  const std::function<void(const std::string&)>& trace_;
  NetworkFaults faults_;
  ServedCluster cluster_{agenda_,
                         dice_,
                         {.streams_lists = dice_.Percent(70),
                          .pages_cached = dice_.Percent(30),
                          .lag_max = dice_.Pick(std::array{Milliseconds(10), Seconds(1), Seconds(5)})}};
  const ClusterChecks cluster_checks_{cluster_};
  ClusterLife life_{agenda_, dice_, cluster_};
  GroupLife groups_{agenda_, dice_, cluster_};
  const bool elects_ = dice_.Percent(85);
  std::vector<std::unique_ptr<LiveInstance>> instances_ =
      std::vector<std::unique_ptr<LiveInstance>>(elects_ && dice_.Percent(70) ? 2 : 1);
  std::string last_holder_;
  ProtocolOutcome outcome_;
};

}  // namespace

ProtocolOutcome SimulateProtocol(uint64_t seed, const std::function<void(const std::string&)>& trace) {
  return ProtocolSimulation(seed, trace).Run();
}

}  // namespace berth::sim
