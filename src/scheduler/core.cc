// SPDX-License-Identifier: Apache-2.0
#include "scheduler/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/assert.h"
#include "base/overloaded.h"
#include "framework/diagnosis.h"
#include "scheduler/assembly.h"

namespace berth::scheduler {
namespace {

using framework::Profile;
using framework::Status;

constexpr Duration kUnschedulableFlushPeriod = Seconds(30);

Time NextWholeSecond(Time now) {
  constexpr int64_t kSecond = Seconds(1).nanos;
  const int64_t past = (now.nanos % kSecond + kSecond) % kSecond;
  return Time{now.nanos - past} + Seconds(1);
}

std::optional<Time> Earlier(std::optional<Time> a, std::optional<Time> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

queue::QueueOptions OptionsOf(const framework::SchedulerConfiguration& configuration,
                              const framework::FeatureGates& gates) {
  queue::QueueOptions options;
  options.backoff.initial = Seconds(configuration.pod_initial_backoff_seconds);
  options.backoff.max = Seconds(configuration.pod_max_backoff_seconds);
  options.pop_from_backoff = options.backoff.windows = gates.Enabled(framework::Gate::kSchedulerPopFromBackoffQ);
  options.max_in_unschedulable = configuration.pod_max_in_unschedulable;
  return options;
}

}  // namespace

Result<std::unique_ptr<Core>> Core::Create(const framework::SchedulerConfiguration& configuration,
                                           const framework::Registry& registry, const framework::FeatureGates& gates,
                                           std::shared_ptr<const framework::Chooser> chooser, Time start) {
  std::unique_ptr<Core> core(
      new Core(configuration, std::make_shared<const framework::Registry>(registry), gates, start));
  core->profiles_ = BERTH_TRY(MakeProfiles(configuration, registry, gates));
  core->cluster_ = MakeCluster(gates);
  core->chooser_ = std::move(chooser);
  core->Assemble();
  return core;
}

Result<void> Core::Check(const framework::SchedulerConfiguration& configuration) const {
  const Profiles profiles = BERTH_TRY(MakeProfiles(configuration, *registry_, gates_));
  if (!policy_->HasNumbersFor(profiles)) return Invalid("there were too many plugins in configurations so far");
  return {};
}

std::unique_ptr<Core> Core::Copy() const {
  std::unique_ptr<Core> copy(new Core(configuration_, registry_, gates_, start_));
  Result<Profiles> profiles = MakeProfiles(configuration_, *registry_, gates_);
  BERTH_ASSERT(profiles.has_value());  // They were made of it before.
  copy->profiles_ = *std::move(profiles);
  copy->cluster_ = std::make_unique<cluster::Cluster>(*cluster_);
  copy->chooser_ = chooser_;
  copy->Assemble();
  copy->algorithm_.ContinueFrom(algorithm_);
  copy->outbox_.CountFrom(outbox_);
  copy->store_ = store_;
  copy->policy_->names() = policy_->names();
  copy->policy_->Reset(copy->profiles_);
  copy->queue_->CopyPods(*queue_);
  if (parked_) copy->queue_->Return(std::make_unique<queue::QueuedPod>(*parked_->queued), parked_->queued->timestamp);
  copy->bindings_->CopyClaimWrites(*bindings_);
  copy->preemptions_->CopyRunning(*preemptions_);
  copy->group_cycle_->CountFrom(*group_cycle_);
  copy->backoff_flush_ = backoff_flush_;
  copy->unschedulable_flush_ = unschedulable_flush_;
  return copy;
}

void Core::Free(std::unique_ptr<Core> core, const std::function<void()>& pause) {
  // Other parts refer to the cluster, so they go first.
  const std::unique_ptr<cluster::Cluster> cluster = std::move(core->cluster_);
  queue::PodStore store = std::move(core->store_);
  core.reset();
  pause();
  store.Clear(pause);
  cluster->Dismantle(pause);
}

void Core::Assemble() {
  using framework::Gate;
  policy_ = std::make_unique<ProfilePolicy>(profiles_, algorithm_.extenders(), *cluster_);
  records_ = std::make_unique<DecisionRecords>(policy_->names());
  queue_ = std::make_unique<queue::SchedulingQueue>(OptionsOf(configuration_, gates_), *policy_, store_,
                                                    cluster_->nominated, &cluster_->groups);
  failures_ = std::make_unique<FailureHandler>(*cluster_, store_, *queue_);
  bindings_ = std::make_unique<BindingCycles>(
      BindingCycles::Parts{store_, cluster_->devices, *queue_, *policy_, *failures_, reporter_, outbox_, *records_,
                           algorithm_.extenders(), gates_.Enabled(Gate::kNominatedNodeNameForExpectation)});
  preemptions_ = std::make_unique<Preemptions>(*cluster_, *queue_, *bindings_, reporter_, outbox_);
  group_cycle_ = std::make_unique<GroupCycle>(
      GroupCycle::Parts{
          .algorithm = {algorithm_, *cluster_, *chooser_, buffers_},
          .profiles = profiles_,
          .queue = *queue_,
          .policy = *policy_,
          .failures = *failures_,
          .reporter = reporter_,
          .outbox = outbox_,
          .waiting = bindings_->waiting(),
          .commit = [this](BindingCycles::Binding binding, Time now) { return Commit(std::move(binding), now); },
          .preempt = [this](const framework::Effects& effects, Time now) { StartPreemption(effects, now); }},
      GroupCycle::Options{.placements = gates_.Enabled(Gate::kTopologyAwareWorkloadScheduling),
                          .composite = gates_.Enabled(Gate::kCompositePodGroup),
                          .preemption_policy = gates_.Enabled(Gate::kPodGroupPreemptionPolicy)});
  handlers_ = std::make_unique<EventHandlers>(*cluster_, store_, *queue_, *policy_, [this](const std::string& uid) {
    return bindings_->waiting().Reject(uid, "", "removed");
  });
  backoff_flush_ = NextWholeSecond(start_);
  unschedulable_flush_ = start_ + kUnschedulableFlushPeriod;
}

std::vector<IssuedEffect> Core::Step(Input input) {
  const Time now = input.now;
  last_attempt_.reset();
  last_cycle_.reset();
  group_cycle_->Forget();
  algorithm_.ForgetReturnedNodes(*cluster_);
  std::visit(Overloaded{
                 [&](PutObject& put) { Put(std::move(put.object), now); },
                 [&](const RemoveObject& removed) { Remove(removed, now); },
                 [&](const EffectAnswer& answer) {
                   // Other effects (events, conditions) are not waited for: a lost one is repeated with the next
                   // failure.
                   if (!bindings_->Answer(answer, now) && !ExtenderAnswered(answer, now))
                     preemptions_->Answer(answer, now);
                 },
                 [&](const ScheduleNext& next) { Schedule(next.pod, now); },
                 [&](const scheduler::PassTime&) { PassTime(now); },
                 [&](const scheduler::Reconfigure& changed) { Reconfigure(*changed.configuration, now); },
             },
             input.what);
  bindings_->Advance(now);
  if (!retired_.empty() && bindings_->size() == 0) FreeRetired();
  TellLevels();
  return outbox_.Take();
}

void Core::set_observer(framework::Observer* observer) {
  observer_ = observer;
  buffers_.observer = observer;
  for (const auto& [name, profile] : profiles_) profile->set_observer(observer);
  policy_->set_observer(observer);
  queue_->set_observer(observer);
  algorithm_.set_observer(observer);
  bindings_->set_observer(observer);
  preemptions_->set_observer(observer);
  group_cycle_->set_observer(observer);
  handlers_->set_observer(observer);
}

void Core::TellLevels() const {
  if (observer_ == nullptr) return;
  const queue::UnschedulablePods& unschedulable = queue_->unschedulable();
  const auto waiting = [](size_t queued, const queue::GroupCensus& census) {
    return framework::Observer::Waiting{
        .pods = queued - census.groups, .groups = census.groups, .members = census.members};
  };
  observer_->StepEnded(
      {.active = waiting(queue_->active().size(), queue_->active().census()),
       .backoff = waiting(queue_->backoff().size(), queue_->backoff().census()),
       .unschedulable = waiting(unschedulable.size() - unschedulable.gated_count(), unschedulable.rejected_census()),
       .gated = waiting(unschedulable.gated_count(), unschedulable.gated_census()),
       .incomplete = queue_->incomplete().size(),
       .pending = queue_->pending().size(),
       .nodes = cluster_->nodes().row_count(),
       .pods = cluster_->pod_count(),
       .assumed_pods = cluster_->assumed_count(),
       .bindings = bindings_->size()});
}

cluster::TableSizes Core::Sizes() const {
  cluster::TableSizes sizes = cluster_->Sizes();
  sizes.insert(sizes.end(), {{"pods", store_.size()},
                             {"active pods", queue_->active().size()},
                             {"pods that back off", queue_->backoff().rejected().size()},
                             {"pods that back off after errors", queue_->backoff().failed().size()},
                             {"unschedulable pods", queue_->unschedulable().size()},
                             {"members without their group", queue_->incomplete().size()},
                             {"members that wait for an attempt", queue_->pending().size()},
                             {"pods in flight", queue_->in_flight().size()},
                             {"events seen in flight", queue_->in_flight().log().size()},
                             {"bindings", bindings_->size()},
                             {"preemptions", preemptions_->size()},
                             {"records of attempts", records_->size()},
                             {"records of attempts (bytes)", records_->bytes()}});
  algorithm_.ranked().AppendSizes(sizes);
  return sizes;
}

void Core::TellAttemptFailed(const Profile& profile, const cluster::PodInfo& pod, bool rejected,
                             std::string_view message, framework::Moment since) const {
  using Result = framework::Observer::Result;
  if (observer_ == nullptr) return;
  const Result result = rejected ? Result::kUnschedulable : Result::kError;
  observer_->AttemptEnds(profile, result, since);
  observer_->AttemptFailed(pod, result, message);
}

bool Core::HasWork() const { return queue_->HasNext(); }

std::optional<Time> Core::NextDeadline() const {
  std::optional<Time> next = bindings_->NextDeadline();
  if (!queue_->backoff().rejected().empty() || !queue_->backoff().failed().empty())
    next = Earlier(next, backoff_flush_);
  if (queue_->unschedulable().size() > 0) next = Earlier(next, unschedulable_flush_);
  return next;
}

std::unique_ptr<framework::Cycle> Core::MakeCycle(const framework::Profile& profile, cluster::PodPtr pod, Time now) {
  auto cycle =
      std::make_unique<framework::Cycle>(std::move(pod), *cluster_, *chooser_, buffers_, profile.plugin_count());
  cycle->set_waiting_pods(&bindings_->waiting());
  cycle->set_now(now);
  return cycle;
}

Decision Core::Decide(const framework::Profile& profile, framework::Cycle& cycle) {
  last_attempt_.reset();  // It refers to the buffers that are used now.
  return algorithm_.DecideInFull(profile, cycle);
}

void Core::Put(api::Object object, Time now) {
  if (const auto* pod = std::get_if<api::Pod>(&object)) {
    // One that has come to its end by itself has left its node, too.
    if (pod->meta.deletion_timestamp || pod->is_terminal()) preemptions_->VictimIsGoing(pod->meta.uid);
    // A pod that was made anew under its name may be all that is seen of the end of the old one.
    const cluster::PodPtr known = store_.Find(pod->meta.ns + "/" + pod->meta.name);
    if (known != nullptr && known->uid != pod->meta.uid) {
      preemptions_->VictimIsGoing(known->uid);
      records_->Forget(known->uid);
    }
  }
  handlers_->Put(std::move(object), now);
  DropUnwanted(now);
}

void Core::Remove(const RemoveObject& removed, Time now) {
  if (removed.kind == "Pod") {
    if (const cluster::PodPtr pod = store_.Find(removed.ns + "/" + removed.name)) {
      preemptions_->VictimIsGoing(pod->uid);
      records_->Forget(pod->uid);
    }
  }
  if (cluster::NodeSlot slot; removed.kind == "Node" && cluster_->nodes().Find(removed.name, slot)) {
    records_->NodeGone(slot);
  }
  handlers_->Remove(removed.kind, removed.ns, removed.name, removed.final_state_unknown, now);
  DropUnwanted(now);
}

void Core::Schedule(std::string_view name, Time now) {
  std::unique_ptr<queue::QueuedPod> queued = name.empty() ? queue_->Pop() : queue_->Pop(name);
  if (queued == nullptr) return;
  const auto is_asked_about = [&](const queue::QueuedPod& one) { return algorithm_.extenders().Concern(*one.pod); };
  Attempt attempt{.queued = std::move(queued), .profile = nullptr, .began = now, .since = {}, .dialogs = nullptr};
  if (attempt.queued->AnyOf(is_asked_about)) attempt.dialogs = std::make_unique<ExtenderDialogs>();
  if (attempt.queued->group != nullptr) return TryGroup(std::move(attempt), now);
  const cluster::PodPtr pod = attempt.queued->pod;
  const auto profile = profiles_.find(pod->spec().scheduler_name);
  if (profile == profiles_.end() || pod->is_terminating() || cluster_->IsAssumed(pod->uid)) {
    if (profile != profiles_.end() && pod->is_terminating()) reporter_.SkippedDeleting(pod);
    queue_->Done(pod->uid);
    return;
  }
  attempt.profile = profile->second.get();
  if (observer_ != nullptr) {
    observer_->AttemptBegins(*attempt.profile, *pod);
    attempt.since = observer_->Start();
  }
  Try(std::move(attempt), now);
}

void Core::TryGroup(Attempt attempt, Time now) {
  const queue::QueueTrail trail = attempt.queued->trail;
  std::map<std::string, int32_t> attempts;
  if (records_->is_on()) {
    attempt.queued->ForEach([&](const queue::QueuedPod& member) { attempts[member.key] = member.attempts; });
  }
  attempt.queued = group_cycle_->Run(std::move(attempt.queued), attempt.dialogs.get(), now);
  if (attempt.queued != nullptr) return Park(std::move(attempt));
  if (records_->is_on()) NoteGroup(trail, attempts, now);
}

void Core::NoteGroup(const queue::QueueTrail& trail, const std::map<std::string, int32_t>& attempts, Time now) {
  const GroupAttempt& attempt = *group_cycle_->last_attempt();
  auto shared = std::make_shared<RecordedGroup>(RecordedGroup{attempt.root, {}, attempt.domains});
  if (attempt.post_filter) shared->preemption = attempt.post_filter->message();
  for (const auto& [name, member] : attempt.members) {
    const cluster::PodPtr pod = store_.Find(name);
    if (pod == nullptr) continue;
    records_->NoteMember(*pod, member, attempts.at(name), trail, shared, cluster_->nodes(), now);
    if (!bindings_->waiting().Has(pod->uid)) records_->Permitted(pod->uid, now);
  }
}

void Core::Try(Attempt attempt, Time now) {
  const cluster::PodPtr pod = attempt.queued->pod;
  const Profile& profile = *attempt.profile;
  std::unique_ptr<framework::Cycle> cycle = MakeCycle(profile, pod, now);
  ExtenderDialog* const dialog = attempt.dialogs == nullptr ? nullptr : &attempt.dialogs->Of(pod);
  last_attempt_.emplace(LastAttempt{pod, &profile, cycle.get(), algorithm_.Decide(profile, *cycle, dialog), {}});
  const Decision& decision = last_attempt_->decision;
  if (decision.outcome == Outcome::kWaiting) return Park(std::move(attempt));
  if (observer_ != nullptr) {
    observer_->AlgorithmEnds(attempt.since);
    for (const framework::SkippedExtender& skipped : decision.skipped_extenders)
      observer_->ExtenderSkipped(*pod, skipped);
  }
  records_->Note(*attempt.queued, profile, cycle.get(), decision, cluster_->nodes(), attempt.began, now);
  if (decision.outcome == Outcome::kScheduled) {
    last_attempt_->cycle = nullptr;  // It goes with the binding, which may end before the next step.
    const std::string& node_name = cluster_->nodes().name[decision.node.index];
    const size_t looked_at = decision.is_ranked
                                 ? decision.diagnosis.node_count
                                 : decision.feasible_count + decision.diagnosis.candidates->rejected().size();
    Commit({std::move(attempt.queued), &profile, std::move(cycle), decision.node,
            cluster::PodCatalog::WithNode(*pod, node_name), attempt.since, looked_at, decision.feasible_count},
           now);
    return;
  }
  last_cycle_ = std::move(cycle);
  if (observer_ != nullptr && decision.post_filter && decision.post_filter->nominated_node_name) {
    observer_->PreemptionDecided(*pod, *decision.post_filter->nominated_node_name);
  }
  // Before the pod is back in the queue: while its victims go, it has to stay out.
  StartPreemption(decision.effects, now);
  TellAttemptFailed(profile, *pod, decision.outcome == Outcome::kUnschedulable, decision.full_message, attempt.since);
  AttemptFailed(std::move(attempt.queued), decision, now);
}

void Core::Park(Attempt attempt) {
  last_attempt_.reset();
  attempt.dialogs->Send(outbox_);
  // Members that come while their group is being tried wait for its end, so no other group may be tried meanwhile.
  const bool is_group = attempt.queued->group != nullptr;
  queue_->Close(is_group ? queue::SchedulingQueue::Closed::kForAll : queue::SchedulingQueue::Closed::kForWaiting);
  parked_ = std::move(attempt);
}

std::vector<cluster::PodPtr> Core::waiting_for_extenders() const {
  std::vector<cluster::PodPtr> pods;
  if (parked_) parked_->queued->ForEach([&](const queue::QueuedPod& one) { pods.push_back(one.pod); });
  return pods;
}

bool Core::ExtenderAnswered(const EffectAnswer& answer, Time now) {
  if (!parked_ || !parked_->dialogs->Take(answer)) return false;
  if (parked_->dialogs->waits()) return true;
  queue_->Close(queue::SchedulingQueue::Closed::kForNone);
  Attempt attempt = *std::exchange(parked_, std::nullopt);
  attempt.queued->group == nullptr ? Try(std::move(attempt), now) : TryGroup(std::move(attempt), now);
  return true;
}

bool Core::IsWanted(const queue::QueuedPod& parked) const {
  const cluster::PodPtr newest = store_.Find(parked.pod->full_name());
  if (newest == nullptr || newest->uid != parked.pod->uid || newest->is_terminating()) return false;
  return newest->node_name.empty() || newest->awaits_resize;
}

void Core::DropUnwantedMembers(Time now) {
  std::vector<cluster::PodPtr> unwanted;
  parked_->queued->ForEach([&](const queue::QueuedPod& member) {
    if (!IsWanted(member)) unwanted.push_back(member.pod);
  });
  for (const cluster::PodPtr& member : unwanted) {
    queue_->Done(member->uid);
    parked_->queued->group->Take(*member);
  }
  if (parked_->queued->size() > 0) return;
  queue_->EndGroup(CancelParked(), queue::SchedulingQueue::GroupEnd::kScheduled, now);
}

void Core::DropUnwanted(Time now) {
  if (!parked_) return;
  if (parked_->queued->group != nullptr) return DropUnwantedMembers(now);
  if (IsWanted(*parked_->queued)) return;
  queue_->Done(CancelParked()->pod->uid);
}

std::unique_ptr<queue::QueuedPod> Core::CancelParked() {
  parked_->dialogs->Cancel(outbox_);
  if (observer_ != nullptr && parked_->profile != nullptr) {
    observer_->AttemptEnds(*parked_->profile, framework::Observer::Result::kError, parked_->since);
  }
  queue_->Close(queue::SchedulingQueue::Closed::kForNone);
  return std::move(std::exchange(parked_, std::nullopt)->queued);
}

void Core::AttemptFailed(std::unique_ptr<queue::QueuedPod> queued, const Decision& decision, Time now) {
  const bool rejected = decision.outcome == Outcome::kUnschedulable;
  Failure failure;
  if (rejected) {
    failure.unschedulable_plugins = policy_->names().InternAll(decision.diagnosis.unschedulable_plugins);
    failure.pending_plugins = policy_->names().InternAll(decision.diagnosis.pending_plugins);
  }
  if (decision.clears_nomination) failure.nominated_node_name = "";
  if (decision.post_filter) failure.nominated_node_name = decision.post_filter->nominated_node_name;
  const cluster::PodPtr subject = failures_->AttemptFailed(std::move(queued), failure, now);
  if (subject != nullptr) reporter_.Failed(subject, rejected, decision.full_message, failure.nominated_node_name);
}

void Core::StartPreemption(const framework::Effects& effects, Time now) {
  std::vector<framework::EvictPod> evictions;
  for (const framework::Effect& effect : effects) {
    if (const auto* eviction = std::get_if<framework::EvictPod>(&effect)) {
      evictions.push_back(*eviction);
    } else {
      outbox_.Send(effect);
    }
  }
  preemptions_->Start(std::move(evictions), "DefaultPreemption", now);
}

std::optional<GroupStatus> Core::Commit(BindingCycles::Binding binding, Time now) {
  if (const Result<void> assumed = cluster_->AssumePod(binding.assumed); !assumed) {
    // A pod that awaits a resize gets here if there is room by now: it stays queued until its kubelet has seen that
    // too.
    const Failure failure{.nominated_node_name = ""};
    if (last_attempt_) last_attempt_->refusal = Status::Error(assumed.error().message);
    records_->Refused(binding.assumed->uid, assumed.error().message, now);
    TellAttemptFailed(*binding.profile, *binding.assumed, false, assumed.error().message, binding.since);
    const cluster::PodPtr subject = failures_->AttemptFailed(std::move(binding.queued), failure, now);
    if (subject != nullptr) reporter_.Failed(subject, false, assumed.error().message, "");
    return GroupStatus::Error(assumed.error().message);
  }
  // An extender may have named a node that has a row only now.
  BERTH_ASSERT(cluster_->nodes().Find(binding.assumed->node_name, binding.node));
  queue_->nominator().Remove(*binding.assumed);
  framework::Effects undone;
  const Status reserved = binding.profile->RunReserve(*binding.cycle, binding.node, undone);
  outbox_.SendAll(std::move(undone));
  if (!reserved.ok()) return Refused(std::move(binding), reserved, now);
  const Profile::PermitOutcome permit = binding.profile->RunPermit(*binding.cycle, binding.node);
  if (!permit.status.ok() && permit.status.code != framework::StatusCode::kWait) {
    binding.profile->RunUnreserve(*binding.cycle, binding.node, undone);
    outbox_.SendAll(std::move(undone));
    return Refused(std::move(binding), permit.status, now);
  }
  binding.profile->DropDecisionStates(*binding.cycle);
  const std::vector<cluster::PodPtr> activated = std::exchange(binding.cycle->pods_to_activate(), {});
  bindings_->Start(std::move(binding), permit.waits, now);
  for (const cluster::PodPtr& pod : activated) queue_->Activate(*pod, now);
  return std::nullopt;
}

GroupStatus Core::Refused(BindingCycles::Binding binding, const Status& status, Time now) {
  // Forgetting a pod that was assumed a moment ago cannot fail.
  BERTH_ASSERT(cluster_->ForgetPod(*binding.assumed).has_value());
  if (last_attempt_) last_attempt_->refusal = status;
  Failure failure{.nominated_node_name = ""};
  std::string message = status.message();
  if (status.is_rejected()) {
    failure.unschedulable_plugins.Insert(policy_->names().Intern(status.plugin));
    framework::FitMessage fit(1);
    fit.Add(status.reasons);
    message = fit.ToString();
  }
  records_->Refused(binding.assumed->uid, message, now);
  TellAttemptFailed(*binding.profile, *binding.assumed, status.is_rejected(), message, binding.since);
  const cluster::PodPtr subject = failures_->AttemptFailed(std::move(binding.queued), failure, now);
  last_cycle_ = std::move(binding.cycle);
  if (subject != nullptr) reporter_.Failed(subject, status.is_rejected(), message, "");
  return {status.code, std::move(message)};
}

void Core::Reconfigure(const framework::SchedulerConfiguration& configuration, Time now) {
  Result<Profiles> profiles = MakeProfiles(configuration, *registry_, gates_);
  if (!profiles || !policy_->HasNumbersFor(*profiles)) return;
  if (parked_) queue_->Return(CancelParked(), now);
  std::vector<std::string> new_names;
  for (const auto& [name, profile] : *profiles) {
    if (!profiles_.contains(name)) new_names.push_back(name);
    profile->set_observer(observer_);
  }
  // Bindings go on with the plugins and extenders that they began with.
  retired_.push_back({std::exchange(profiles_, *std::move(profiles)), algorithm_.Reconfigure(configuration)});
  configuration_ = configuration;
  const auto change = [&] {
    policy_->Reset(profiles_);
    return OptionsOf(configuration_, gates_);
  };
  const auto is_wanted = [&](const cluster::PodInfo& pod) { return policy_->IsResponsible(pod); };
  for (const cluster::PodPtr& pod : queue_->Reconfigure(change, is_wanted, now)) cluster_->groups.Remove(*pod);
  handlers_->TakeOn(new_names, now);
  FreeRetired();
}

void Core::FreeRetired() {
  std::erase_if(retired_, [&](const Retired& retired) {
    const auto is_used = [&](const auto& entry) { return bindings_->Uses(*entry.second); };
    if (std::ranges::any_of(retired.profiles, is_used)) return false;
    for (const auto& [name, profile] : retired.profiles) {
      if (observer_ != nullptr) observer_->ProfileEnded(*profile);
    }
    return true;
  });
  buffers_.kept.clear();  // It is kept by plugin.
}

void Core::PassTime(Time now) {
  if (now >= backoff_flush_) {
    queue_->FlushBackoff(now);
    backoff_flush_ = NextWholeSecond(now);
  }
  if (now >= unschedulable_flush_) {
    queue_->FlushUnschedulable(now);
    unschedulable_flush_ = now + kUnschedulableFlushPeriod;
  }
}

}  // namespace berth::scheduler
