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

}  // namespace

Result<std::unique_ptr<Core>> Core::Create(const framework::SchedulerConfiguration& configuration,
                                           const framework::Registry& registry, const framework::FeatureGates& gates,
                                           std::unique_ptr<framework::Chooser> chooser, Time start) {
  using framework::Gate;
  std::unique_ptr<Core> core(new Core(configuration, start));
  core->profiles_ = BERTH_TRY(MakeProfiles(configuration, registry, gates));
  core->cluster_ = MakeCluster(gates);
  core->chooser_ = std::move(chooser);
  core->policy_ = std::make_unique<ProfilePolicy>(core->profiles_, core->algorithm_.extenders(), *core->cluster_);
  core->records_ = std::make_unique<DecisionRecords>(core->policy_->names());
  queue::QueueOptions options;
  options.backoff.initial = Seconds(configuration.pod_initial_backoff_seconds);
  options.backoff.max = Seconds(configuration.pod_max_backoff_seconds);
  options.pop_from_backoff = options.backoff.windows = gates.Enabled(Gate::kSchedulerPopFromBackoffQ);
  options.max_in_unschedulable = configuration.pod_max_in_unschedulable;
  core->queue_ = std::make_unique<queue::SchedulingQueue>(options, *core->policy_, core->store_,
                                                          core->cluster_->nominated, &core->cluster_->groups);
  core->failures_ = std::make_unique<FailureHandler>(*core->cluster_, core->store_, *core->queue_);
  core->bindings_ = std::make_unique<BindingCycles>(
      BindingCycles::Parts{core->store_, core->cluster_->devices, *core->queue_, *core->policy_, *core->failures_,
                           core->reporter_, core->outbox_, *core->records_, core->algorithm_.extenders(),
                           gates.Enabled(Gate::kNominatedNodeNameForExpectation)});
  core->preemptions_ =
      std::make_unique<Preemptions>(*core->cluster_, *core->queue_, *core->bindings_, core->reporter_, core->outbox_);
  core->group_cycle_ = std::make_unique<GroupCycle>(
      GroupCycle::Parts{.algorithm = {core->algorithm_, *core->cluster_, *core->chooser_, core->buffers_},
                        .profiles = core->profiles_,
                        .queue = *core->queue_,
                        .policy = *core->policy_,
                        .failures = *core->failures_,
                        .reporter = core->reporter_,
                        .outbox = core->outbox_,
                        .waiting = core->bindings_->waiting(),
                        .commit = [self = core.get()](BindingCycles::Binding binding,
                                                      Time now) { return self->Commit(std::move(binding), now); },
                        .preempt = [self = core.get()](const framework::Effects& effects,
                                                       Time now) { self->StartPreemption(effects, now); }},
      GroupCycle::Options{.placements = gates.Enabled(Gate::kTopologyAwareWorkloadScheduling),
                          .composite = gates.Enabled(Gate::kCompositePodGroup),
                          .preemption_policy = gates.Enabled(Gate::kPodGroupPreemptionPolicy)});
  core->handlers_ = std::make_unique<EventHandlers>(*core->cluster_, core->store_, *core->queue_, *core->policy_,
                                                    [bindings = core->bindings_.get()](const std::string& uid) {
                                                      return bindings->waiting().Reject(uid, "", "removed");
                                                    });
  core->backoff_flush_ = NextWholeSecond(start);
  core->unschedulable_flush_ = start + kUnschedulableFlushPeriod;
  return core;
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
             },
             input.what);
  bindings_->Advance(now);
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
  observer_->StepEnded({.active = queue_->active().size(),
                        .backoff = queue_->backoff().rejected().size() + queue_->backoff().failed().size(),
                        .unschedulable = unschedulable.size() - unschedulable.gated_count(),
                        .gated = unschedulable.gated_count(),
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

void Core::Put(api::Object object, Time now) {
  if (const auto* pod = std::get_if<api::Pod>(&object)) {
    if (pod->meta.deletion_timestamp) preemptions_->VictimIsGoing(pod->meta.uid);
    // A pod that was made anew under its name may be all that is seen of the end of the old one.
    const cluster::PodPtr known = store_.Find(pod->meta.ns + "/" + pod->meta.name);
    if (known != nullptr && known->uid != pod->meta.uid) {
      preemptions_->VictimIsGoing(known->uid);
      records_->Forget(known->uid);
    }
  }
  handlers_->Put(std::move(object), now);
  DropUnwanted();
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
  DropUnwanted();
}

void Core::Schedule(std::string_view name, Time now) {
  std::unique_ptr<queue::QueuedPod> queued = name.empty() ? queue_->Pop() : queue_->Pop(name);
  if (queued == nullptr) return;
  if (queued->group != nullptr) return ScheduleGroup(std::move(queued), now);
  const cluster::PodPtr pod = queued->pod;
  const auto profile = profiles_.find(pod->spec().scheduler_name);
  if (profile == profiles_.end() || pod->is_terminating() || cluster_->IsAssumed(pod->uid)) {
    if (profile != profiles_.end() && pod->is_terminating()) reporter_.SkippedDeleting(pod);
    queue_->Done(pod->uid);
    return;
  }
  Attempt attempt{
      .queued = std::move(queued), .profile = profile->second.get(), .began = now, .since = {}, .dialog = nullptr};
  if (observer_ != nullptr) {
    observer_->AttemptBegins(*attempt.profile, *pod);
    attempt.since = observer_->Start();
  }
  if (algorithm_.extenders().Concern(*pod)) attempt.dialog = std::make_unique<ExtenderDialog>();
  Try(std::move(attempt), now);
}

void Core::ScheduleGroup(std::unique_ptr<queue::QueuedPod> group, Time now) {
  if (!records_->is_on()) return group_cycle_->Run(std::move(group), now);
  const queue::QueueTrail trail = group->trail;
  std::map<std::string, int32_t> attempts;
  group->ForEach([&](const queue::QueuedPod& member) { attempts[member.key] = member.attempts; });
  group_cycle_->Run(std::move(group), now);
  const GroupAttempt& attempt = *group_cycle_->last_attempt();
  auto shared = std::make_shared<RecordedGroup>(RecordedGroup{attempt.root, {}, attempt.domains});
  if (attempt.post_filter) shared->preemption = attempt.post_filter->message();
  for (const auto& [name, member] : attempt.members) {
    const cluster::PodPtr pod = store_.Find(name);
    if (pod == nullptr) continue;
    records_->NoteMember(*pod, member, attempts[name], trail, shared, cluster_->nodes(), now);
    if (!bindings_->waiting().Has(pod->uid)) records_->Permitted(pod->uid, now);
  }
}

void Core::Try(Attempt attempt, Time now) {
  const cluster::PodPtr pod = attempt.queued->pod;
  const Profile& profile = *attempt.profile;
  auto cycle = std::make_unique<framework::Cycle>(pod, *cluster_, *chooser_, buffers_, profile.plugin_count());
  cycle->set_waiting_pods(&bindings_->waiting());
  cycle->set_now(now);
  last_attempt_.emplace(
      LastAttempt{pod, &profile, cycle.get(), algorithm_.Decide(profile, *cycle, attempt.dialog.get()), {}});
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
    const size_t feasible = decision.feasible.size();
    Commit({std::move(attempt.queued), &profile, std::move(cycle), decision.node,
            cluster::PodCatalog::WithNode(*pod, node_name), attempt.since,
            feasible + decision.diagnosis.candidates->rejected().size(), feasible},
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
  attempt.dialog->Send(attempt.queued->pod, outbox_);
  parked_ = std::move(attempt);
  queue_->CloseForWaiting(true);
}

bool Core::ExtenderAnswered(const EffectAnswer& answer, Time now) {
  if (!parked_ || !parked_->dialog->Take(answer)) return false;
  if (parked_->dialog->waits()) return true;
  queue_->CloseForWaiting(false);
  Try(*std::exchange(parked_, std::nullopt), now);
  return true;
}

void Core::DropUnwanted() {
  if (!parked_) return;
  const cluster::PodInfo& pod = *parked_->queued->pod;
  const cluster::PodPtr newest = store_.Find(parked_->queued->key);
  const bool is_wanted = newest != nullptr && newest->uid == pod.uid && !newest->is_terminating();
  if (is_wanted && (newest->node_name.empty() || newest->awaits_resize)) return;
  parked_->dialog->Cancel(outbox_);
  if (observer_ != nullptr) {
    observer_->AttemptEnds(*parked_->profile, framework::Observer::Result::kError, parked_->since);
  }
  queue_->Done(pod.uid);
  queue_->CloseForWaiting(false);
  parked_.reset();
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
