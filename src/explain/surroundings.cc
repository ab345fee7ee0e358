// SPDX-License-Identifier: Apache-2.0
#include "explain/surroundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "api/parts/selector.h"
#include "base/overloaded.h"
#include "explain/object_forms.h"
#include "scheduler/inspection.h"
#include "server/all_controllers.h"
#include "server/model/strategy.h"
#include "server/objects/bootstrap.h"

namespace berth::explain {
namespace {

using api::Json;

constexpr Duration kPrelude = Seconds(2);   // Controllers do their first work before pods are tried.
constexpr Duration kPatience = Minutes(1);  // Longer than any backoff.
constexpr Duration kBindingPatience = Minutes(20);
// As in a live scheduler, some dozens of pods are tried before what was decided of the first is done: whom it evicts is
// still there when the others are tried.
constexpr world::Pace kPace{.latency = Milliseconds(10), .scheduling_interval = Duration{300'000}};
constexpr uint16_t kApiPort = 6443;  // Nobody listens there.
constexpr uint64_t kSeed = 1;
constexpr uint64_t kSeedOfCore = 0x5eed;  // No world of which a core remembers something has it.

// Pods run for ever, and taints evict none.
server::ClusterRules Rules() {
  return {.root_ca = {},
          .is_whole = false,
          .renews_leases = false,
          .keeps_ended_pods = false,
          .evicts = false,
          .runs_cron_jobs = false,
          .measures_pods = false,
          .publishes_endpoints = false,
          .lives = {.end = false, .tells = false, .termination = {}}};
}

}  // namespace

Surroundings::Surroundings(scheduler::Core& core, const framework::FeatureGates& gates, Time now, Past past)
    : core_(core),
      stage_(std::make_shared<Stage>(now, past == Past::kNone ? kSeed : kSeedOfCore, world::RunOptions(gates))),
      agenda_(stage_->agenda),
      world_(stage_->world),
      loader_(world_, false),
      run_(core, world_, agenda_, *this, kPace, {}, past == Past::kNone ? now + kPrelude : now),
      changed_at_(now) {}

// What was still to be done holds pods of the core.
Surroundings::~Surroundings() { agenda_.Clear(); }

void Surroundings::set_pods_max(int64_t pods_max) {
  pods_max_ = pods_max;
  loader_.set_pods_max(pods_max);
}

Result<void> Surroundings::FillFrom(const world::Manifests& manifests) {
  is_whole_ = true;
  run_.Start();
  world_.Start(Rules());
  BERTH_CHECK_OK(loader_.Load(manifests));
  for (std::string& note : loader_.TakeNotes()) Note(std::move(note));
  if (run_.failure()) return std::unexpected(*run_.failure());
  return {};
}

void Surroundings::FillFromCore() {
  run_.Start();
  world_.Start(Rules());
  // The core knows all that is put there.
  run_.Untold([&] {
    for (const auto& [key, ns] : core_.cluster().objects.namespaces.all()) Restore("Namespace", NamespaceManifest(*ns));
    for (const auto& [key, each] : core_.cluster().objects.storage_classes.all()) {
      Restore("StorageClass", StorageClassManifest(*each));
    }
    for (const auto& [key, each] : core_.cluster().objects.priority_classes.all()) {
      Restore("PriorityClass", PriorityClassManifest(each->meta.name, each->value));
    }
  });
  (void)server::CreateInitialObjects(world_.objects(), kApiPort);
  Note("controllers act on what the question brings, not on what was there before");
  Note("quotas, limit ranges and admission webhooks of the cluster are not known");
}

void Surroundings::Note(std::string note) {
  if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
}

void Surroundings::Restore(std::string_view kind, Json object) {
  const server::Resource* resource = world_.catalog().FindKept(kind);
  if (resource == nullptr) return;
  resource->strategy->Default(object, true);
  (void)world_.objects().Restore(*resource, std::move(object));  // Refused only if it cannot be stored under its name.
}

template <class Work>
Result<void> Surroundings::Paced(Pacer& pacer, Work work) {
  pacer_ = &pacer;
  loader_.set_pause([this] { return Pause(); });
  Result<void> done = work();
  pacer_ = nullptr;
  loader_.set_pause(nullptr);
  return done;
}

Result<void> Surroundings::Pause() {
  if (pacer_ == nullptr) return {};
  // Also after it was told to end: what is under way gives way until it has.
  Result<void> paused = pacer_->Pause();
  if (paused_) paused_ = std::move(paused);
  return paused_;
}

Result<void> Surroundings::Settle(Pacer& pacer) {
  return Paced(pacer, [this] { return SettleAll(); });
}

Result<void> Surroundings::SettleAll() {
  while (const std::optional<Time> next = run_.NextTime()) {
    const Duration patience = core_.bindings().size() == 0 ? kPatience : kBindingPatience;
    if (*next - changed_at_ > patience) break;
    run_.DoNext(*next);
    if (run_.failure()) return std::unexpected(*run_.failure());
    if (seen_.size() > static_cast<size_t>(pods_max_) + waited_) {
      return Fail(Code::kLimit, fmt::format("too many pods: a question makes {} at most", pods_max_));
    }
    BERTH_CHECK_OK(Pause());
  }
  return {};
}

void Surroundings::StepBegins(const scheduler::Input& input) {
  (void)Pause();  // Whoever works on the question finds out.
  const auto* put = std::get_if<scheduler::PutObject>(&input.what);
  if (put == nullptr) {
    if (std::holds_alternative<scheduler::RemoveObject>(input.what)) changed_at_ = agenda_.now();
    return;
  }
  const auto* pod = std::get_if<api::Pod>(&put->object);
  if (pod == nullptr) {
    changed_at_ = agenda_.now();
    return;
  }
  const std::string name = api::FullName(pod->meta);
  const cluster::PodPtr known = core_.pods().Find(name);
  if (known == nullptr) seen_.try_emplace(name);
  if (known == nullptr || known->node_name != pod->node_name || pod->meta.deletion_timestamp) {
    changed_at_ = agenda_.now();
  }
}

void Surroundings::CarriesOut(const framework::Effect& effect, const std::string&) {
  std::visit(Overloaded{
                 [&](const framework::RecordEvent& event) {
                   const auto seen = seen_.find(event.pod->full_name());
                   if (event.reason == "FailedScheduling" && seen != seen_.end()) seen->second.message = event.note;
                 },
                 [&](const framework::EvictPod& eviction) {
                   const cluster::PodInfo& victim = *eviction.victim;
                   const cluster::PodPtr known = core_.pods().Find(victim.full_name());
                   if (known == nullptr || known->uid != victim.uid || known->is_terminating()) return;
                   evictions_.push_back({victim.full_name(), OwnerOf(victim), eviction.node_name,
                                         eviction.preemptor->full_name(), victim.priority()});
                   if (!is_whole_ && !victim.pod_template->controller.kind.empty()) {
                     Note("where pods go that controllers make in place of evicted ones is not known");
                   }
                 },
                 [&](const framework::BindPod& bind) {
                   changed_at_ = agenda_.now();
                   // Its kubelet runs it.
                   if (!is_whole_) (void)Adopt(bind.node_name);
                 },
                 [](const auto&) {},
             },
             effect);
}

scheduler::EffectAnswer Surroundings::CallExtender(uint64_t id, framework::CallExtender call) {
  Note("extenders were not called: pods that they have a say in could not be tried");
  return RunListener::CallExtender(id, std::move(call));
}

void Surroundings::Begin() {
  // What comes now is younger than what is there, also in whole seconds, in which pods say when they started.
  agenda_.PassTo(agenda_.now() + kPrelude);
  seen_.clear();
  evictions_.clear();
  for (const cluster::PodPtr& pod : scheduler::QueuedPods(core_.queue())) {
    if (pod->node_name.empty()) seen_[pod->full_name()].was_pending = true;
  }
  waited_ = seen_.size();
}

Result<void> Surroundings::Apply(const Question& question, Pacer& pacer) {
  return Paced(pacer, [&] { return ApplyAll(question); });
}

Result<void> Surroundings::ApplyAll(const Question& question) {
  changed_at_ = agenda_.now();
  for (size_t i = 0; i < question.changes.size(); ++i) {
    if (const Result<void> made = Make(question.changes[i]); !made) {
      return Fail(made.error().code, fmt::format("changes[{}]: {}", i, made.error().message));
    }
    BERTH_CHECK_OK(Pause());
  }
  return Load(question.objects);
}

std::string Surroundings::OwnerOf(const cluster::PodInfo& pod) const {
  const api::OwnerReference& owner = pod.pod_template->controller;
  if (owner.kind.empty()) return "";
  if (owner.kind == "ReplicaSet") {
    const server::ObjectPtr found =
        world_.store().Find(world_.catalog().Get("apps", "replicasets"), pod.ns(), owner.name);
    if (found != nullptr) {
      for (const Json& above : found->Tree()["metadata"]["ownerReferences"].items()) {
        if (above["controller"].AsBool()) {
          return fmt::format("{} {}/{}", above["kind"].text(), pod.ns(), above["name"].text());
        }
      }
    }
  }
  return fmt::format("{} {}/{}", owner.kind, pod.ns(), owner.name);
}

std::optional<PodFate> Surroundings::FateOf(const std::string& name, const Seen& seen) const {
  const cluster::PodPtr pod = core_.pods().Find(name);
  if (pod == nullptr || pod->is_terminating()) return std::nullopt;
  PodFate fate;
  fate.ns = pod->ns();
  fate.name = pod->name;
  fate.owner = OwnerOf(*pod);
  fate.was_pending = seen.was_pending;
  const cluster::PodPtr placed = core_.cluster().FindPod(pod->uid);
  const framework::Profile* profile = core_.policy().ProfileOf(*pod);
  const queue::QueuedPod* queued = core_.queue().unschedulable().Find(name);
  if (placed != nullptr) {
    fate.state = PodFate::State::kPlaced;
    fate.node = placed->node_name;
    return fate;
  }
  fate.message = seen.message;
  if (profile == nullptr) {
    fate.state = PodFate::State::kIgnored;
    fate.message = "no profile has the scheduler name " + pod->spec().scheduler_name;
  } else if (queued != nullptr && queued->is_gated()) {
    fate.state = PodFate::State::kGated;
    fate.message = profile->RunPreEnqueue(*pod, core_.cluster()).message();
  }
  return fate;
}

Result<std::vector<PodFate>> Surroundings::Fates(Pacer& pacer) const {
  std::vector<PodFate> fates;
  for (const auto& [name, seen] : seen_) {
    BERTH_CHECK_OK(pacer.Pause());
    std::optional<PodFate> fate = FateOf(name, seen);
    if (fate && !(seen.was_pending && fate->state != PodFate::State::kPlaced)) fates.push_back(*std::move(fate));
  }
  return fates;
}

Result<size_t> Surroundings::CountPending(Pacer& pacer) const {
  size_t count = 0;
  for (const auto& [name, seen] : seen_) {
    if (!seen.was_pending) continue;
    BERTH_CHECK_OK(pacer.Pause());
    const std::optional<PodFate> fate = FateOf(name, seen);
    if (fate && fate->state == PodFate::State::kPending) ++count;
  }
  return count;
}

}  // namespace berth::explain
