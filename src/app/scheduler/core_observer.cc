// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/core_observer.h"

#include <fmt/format.h>

#include <chrono>

#include "api/objects/resource_claim.h"
#include "framework/diagnosis.h"
#include "framework/effects.h"
#include "framework/profile.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

using framework::Moment;
using framework::RunPoint;
using framework::StatusCode;

constexpr int64_t kHandOverNanos = 1'000'000'000;
constexpr uint64_t kSampledOneOf = 10;

std::string_view ResultName(framework::Observer::Result result) {
  switch (result) {
    case framework::Observer::Result::kScheduled: return "scheduled";
    case framework::Observer::Result::kUnschedulable: return "unschedulable";
    case framework::Observer::Result::kError: return "error";
  }
  return {};
}

std::string_view GroupResultName(framework::Observer::GroupResult result) {
  switch (result) {
    case framework::Observer::GroupResult::kScheduled: return "scheduled";
    case framework::Observer::GroupResult::kUnschedulable: return "unschedulable";
    case framework::Observer::GroupResult::kWaitsForPreemption: return "waiting_on_preemption";
    case framework::Observer::GroupResult::kError: return "error";
  }
  return {};
}

std::string_view QueueName(framework::Observer::Queue queue) {
  switch (queue) {
    case framework::Observer::Queue::kActive: return "active";
    case framework::Observer::Queue::kBackoff: return "backoff";
    case framework::Observer::Queue::kUnschedulable: return "unschedulable";
  }
  return {};
}

std::string_view DeviceWaitName(framework::Observer::DeviceWaitEnd end) {
  switch (end) {
    case framework::Observer::DeviceWaitEnd::kReady: return "success";
    case framework::Observer::DeviceWaitEnd::kFailed: return "failure";
    case framework::Observer::DeviceWaitEnd::kTimedOut: return "timeout";
    case framework::Observer::DeviceWaitEnd::kError: return "error";
  }
  return {};
}

// The points at which it is counted how often a plugin was asked.
bool IsCounted(RunPoint point) {
  return point == RunPoint::kPreFilter || point == RunPoint::kFilter || point == RunPoint::kPreScore ||
         point == RunPoint::kScore;
}

// Objects are updated more often than they come and go.
int VerbosityOf(const framework::ClusterEvent& event) { return event.action == framework::action::kUpdate ? 4 : 3; }

std::string ChangeText(const framework::ClusterEvent& event, std::string_view what) {
  return fmt::format("{} event for {}", framework::ActionToString(event.action), what);
}

// What the metrics of volumes call a point.
std::string_view VolumeStage(RunPoint point) {
  if (point == RunPoint::kFilter) return "predicate";
  if (point == RunPoint::kReserve) return "assume";
  return point == RunPoint::kPreBind ? "bind" : "";
}

}  // namespace

CoreObserver::CoreObserver(telemetry::SchedulerMetrics& metrics, Clock clock)
    : metrics_(metrics), clock_(std::move(clock)) {}

void CoreObserver::QueueGauges::Set(const Waiting& waiting) const {
  pods.Set(static_cast<double>(waiting.pods + waiting.members));
  entities.Set(static_cast<double>(waiting.pods));
  if (groups != nullptr) groups->Set(static_cast<double>(waiting.groups));
}

void CoreObserver::set_groups(GroupObservation groups) {
  groups_ = groups;
  if (groups_.groups == nullptr) return;
  for (QueueGauges* gauges : {&active_, &backoff_, &unschedulable_, &gated_}) {
    gauges->groups = &metrics_.queued_entities.With(gauges->queue, "podgroup");
  }
}

void CoreObserver::NoGoroutines(std::string_view operation) {
  if (shown_operations_.contains(operation)) return;
  shown_operations_.emplace(operation);
  metrics_.goroutines.With(operation).Set(0);
}

int64_t CoreObserver::SteadyNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double CoreObserver::SecondsSince(Moment since) const { return static_cast<double>(clock_() - NanosOf(since)) * 1e-9; }

// Not a good random number, but one that has no rhythm.
bool CoreObserver::Lot() {
  lot_ ^= lot_ << 13;
  lot_ ^= lot_ >> 7;
  lot_ ^= lot_ << 17;
  return lot_ % kSampledOneOf == 0;
}

void CoreObserver::AttemptBegins(const framework::Profile& profile, const cluster::PodInfo& pod) {
  BERTH_LOG(3, "Attempting to schedule pod", "pod", pod.full_name());
  is_sampled_ = Lot();
  trace_.Begin(pod.ns(), pod.name, clock_());
  metrics_.batch_attempts.With(profile.scheduler_name(), "no_hint").Add();
  metrics_.get_node_hint_duration.With("no_hint", profile.scheduler_name()).Observe(0);
}

void CoreObserver::Reached(Step step) {
  switch (step) {
    case Step::kFiltered: return trace_.Step("Computing predicates done", clock_());
    case Step::kScored: return trace_.Step("Prioritizing done", clock_());
    case Step::kDecided: return trace_.End(clock_());
  }
}

void CoreObserver::AlgorithmEnds(Moment since) { metrics_.scheduling_algorithm_duration.Observe(SecondsSince(since)); }

void CoreObserver::AttemptEnds(const framework::Profile& profile, Result result, Moment since) {
  const std::string& name = profile.scheduler_name();
  metrics_.schedule_attempts.With(ResultName(result), name).Add();
  metrics_.scheduling_attempt_duration.With(ResultName(result), name).Observe(SecondsSince(since));
  if (result != Result::kScheduled) return;
  metrics_.batch_cache_flushed.With(name, "pod_not_batchable").Add();
  metrics_.store_schedule_results_duration.With(name).Observe(0);
}

void CoreObserver::AttemptFailed(const cluster::PodInfo& pod, Result result, std::string_view message) {
  if (result == Result::kError)
    return telemetry::LogError("Error scheduling pod; retrying", "pod", pod.full_name(), "err", message);
  if (message == framework::kNoNodesMessage) {
    BERTH_LOG(2, "Unable to schedule pod; no nodes are registered to the cluster; waiting", "pod", pod.full_name());
  } else {
    BERTH_LOG(2, "Unable to schedule pod; no fit; waiting", "pod", pod.full_name(), "err", message);
  }
}

void CoreObserver::PodBound(const framework::BoundPod& bound) {
  BERTH_LOG(2, "Successfully bound pod to node", "pod", bound.pod.full_name(), "node", bound.node, "evaluatedNodes",
            bound.evaluated_nodes, "feasibleNodes", bound.feasible_nodes);
  metrics_.pod_scheduling_attempts.Observe(bound.attempts);
  if (bound.waited) {
    const std::string label = bound.attempts >= 15 ? "15+" : std::to_string(bound.attempts);
    metrics_.pod_scheduling_sli_duration.With(label).Observe(static_cast<double>(bound.waited->nanos) * 1e-9);
  }
  if (bound.flushed) metrics_.pod_scheduled_after_flush.Add();
}

void CoreObserver::PointRan(const framework::Profile& profile, RunPoint point, StatusCode code, Moment since) {
  metrics_.framework_extension_point_duration
      .With(framework::ToString(point), framework::ToString(code), profile.scheduler_name())
      .Observe(SecondsSince(since));
  if (point == RunPoint::kFilter || point == RunPoint::kScore) NoGoroutines(framework::ToString(point));
}

void CoreObserver::PluginRan(const framework::Profile& profile, const framework::Plugin& plugin, RunPoint point,
                             StatusCode code, size_t nodes, Moment since) {
  if (IsCounted(point) && code != StatusCode::kSkip) {
    Evaluations& counted = evaluations_[&profile];
    if (counted.size() < profile.plugin_count()) counted.resize(profile.plugin_count());
    counted[plugin.index()][static_cast<size_t>(point)] += nodes;
  }
  if (point == RunPoint::kPostFilter && plugin.name() == "DefaultPreemption") {
    metrics_.preemption_attempts.Add();
    NoGoroutines(plugin.name());
    if (groups_.groups != nullptr) Evaluated("pod", code, since);
  }
  if (point == RunPoint::kPodGroupPostFilter && plugin.name() == "DefaultPreemption" && groups_.groups != nullptr) {
    groups_.groups->preemption_attempts.With(framework::ToString(code)).Add();
    Evaluated("podgroup", code, since);
  }
  if (point == RunPoint::kPreFilter && plugin.name() == "InterPodAffinity") NoGoroutines(plugin.name());
  if (code == StatusCode::kError && plugin.name() == "VolumeBinding") {
    if (const std::string_view stage = VolumeStage(point); !stage.empty())
      metrics_.volume_scheduling_stage_error.With(stage).Add();
  }
  if (!is_sampled_) return;
  metrics_.plugin_execution_duration.With(plugin.name(), framework::ToString(point), framework::ToString(code))
      .Observe(SecondsSince(since));
}

void CoreObserver::PermitWaited(StatusCode code, Moment since) {
  metrics_.permit_wait_duration.With(framework::ToString(code)).Observe(SecondsSince(since));
}

void CoreObserver::Evaluated(std::string_view preemptor_type, StatusCode code, Moment since) {
  groups_.groups->preemption_evaluation_duration.With(preemptor_type, framework::ToString(code))
      .Observe(SecondsSince(since));
}

void CoreObserver::PodQueued(Queue queue, const framework::QueueCause& cause, size_t members, bool is_arrival) {
  const std::string label = framework::Label(cause);
  metrics_.queue_incoming_pods.With(QueueName(queue), label).Add(members == 0 ? 1 : members);
  if (!is_arrival) return;
  metrics_.queue_incoming_entities.With(QueueName(queue), label, members == 0 ? "pod" : "podgroup").Add();
}

void CoreObserver::PodRejected(std::string_view plugin, std::string_view profile, int change) {
  metrics_.unschedulable_pods.With(plugin, profile).Add(change);
}

void CoreObserver::InFlightChanged(const framework::QueueCause& cause, int change) {
  metrics_.inflight_events.With(framework::Label(cause)).Add(change);
}

void CoreObserver::PodChanged(const framework::ClusterEvent& event, const cluster::PodInfo& pod) {
  const bool is_assigned = event.resource == framework::EventResource::kAssignedPod;
  BERTH_LOG(VerbosityOf(event), ChangeText(event, is_assigned ? "scheduled pod" : "unscheduled pod"), "pod",
            pod.full_name());
}

void CoreObserver::NodeChanged(const framework::ClusterEvent& event, std::string_view node) {
  BERTH_LOG(VerbosityOf(event), ChangeText(event, "node"), "node", node);
}

void CoreObserver::EventHandled(const framework::ClusterEvent& event, Moment since) {
  metrics_.event_handling_duration.With(framework::Label(event)).Observe(SecondsSince(since));
}

void CoreObserver::HintGiven(std::string_view plugin, const framework::ClusterEvent& event,
                             std::optional<framework::QueueingHint> hint, Moment since) {
  std::string_view name = "Error";
  if (hint) name = *hint == framework::QueueingHint::kQueue ? "Queue" : "QueueSkip";
  metrics_.queueing_hint_execution_duration.With(plugin, framework::Label(event), name).Observe(SecondsSince(since));
}

void CoreObserver::PreemptionDecided(const cluster::PodInfo& preemptor, std::string_view node) {
  if (node.empty()) {
    BERTH_LOG(2, "No preemption candidate is found; preemption is not helpful for scheduling", "pod",
              preemptor.full_name());
  } else {
    BERTH_LOG(2, "the target node for the preemption is determined", "node", node, "pod", preemptor.full_name());
  }
}

void CoreObserver::PlacementsGenerated(const framework::Profile& profile, size_t count) {
  if (groups_.placements != nullptr) {
    groups_.placements->generated.With(profile.scheduler_name()).Add(count);
  }
}

void CoreObserver::PlacementTried(const framework::Profile& profile, bool is_feasible, Moment since) {
  if (groups_.placements == nullptr) return;
  const std::string_view result = is_feasible ? "feasible" : "infeasible";
  groups_.placements->evaluations.With(result, profile.scheduler_name()).Add();
  groups_.placements->evaluation_duration.With(result, profile.scheduler_name()).Observe(SecondsSince(since));
}

void CoreObserver::GroupAlgorithmEnds(Moment since) {
  if (groups_.groups != nullptr) groups_.groups->algorithm_duration.Observe(SecondsSince(since));
}

void CoreObserver::GroupAttemptEnds(const framework::Profile& profile, GroupResult result, Moment since) {
  if (groups_.groups == nullptr) return;
  const std::string_view name = GroupResultName(result);
  groups_.groups->attempts.With(name, profile.scheduler_name()).Add();
  groups_.groups->attempt_duration.With(name, profile.scheduler_name()).Observe(SecondsSince(since));
}

void CoreObserver::PreemptionStarted(const framework::EvictPod& eviction, size_t victims) {
  BERTH_LOG(2, "Start the preemption asynchronously", "preemptor", eviction.preemptor->full_name(), "node",
            eviction.node_name, "numVictimsToDelete", victims);
  telemetry::Histogram& observed =
      eviction.group && groups_.groups != nullptr ? groups_.groups->preemption_victims : metrics_.preemption_victims;
  observed.Observe(static_cast<double>(victims));
}

void CoreObserver::VictimLeft(const framework::EvictPod& eviction, VictimEnd end, std::string_view error) {
  const std::string& node = eviction.node_name;
  switch (end) {
    case VictimEnd::kStopped:
      BERTH_LOG(2, "Preemptor preempted a waiting pod", "preemptor", eviction.preemptor->full_name(), "waitingPod",
                eviction.victim->full_name(), "node", node);
      return;
    case VictimEnd::kDeleted:
      BERTH_LOG(2, "Preemptor Pod preempted victim Pod", "preemptor", eviction.preemptor->full_name(), "victim",
                eviction.victim->full_name(), "node", node);
      return;
    case VictimEnd::kWasGone:
      BERTH_LOG(2, "Victim Pod is already deleted", "preemptor", eviction.preemptor->full_name(), "victim",
                eviction.victim->full_name(), "node", node);
      return;
    case VictimEnd::kFailed:
      return telemetry::LogError("Tried to preempted pod", "pod", eviction.victim->full_name(), "preemptor",
                                 eviction.preemptor->full_name(), "err", error);
  }
}

void CoreObserver::HarmDone(std::string_view preemptor_type, size_t groups, int64_t pdb_violations) {
  if (groups_.groups == nullptr) return;
  if (groups > 0) groups_.groups->preemption_disruptions.With(preemptor_type).Observe(static_cast<double>(groups));
  if (pdb_violations > 0) {
    groups_.groups->preemption_pdb_violations.With(preemptor_type).Add(static_cast<uint64_t>(pdb_violations));
  }
}

void CoreObserver::PreemptionEnded(const framework::EvictPod& eviction, bool failed, Moment since) {
  const std::string_view result = failed ? "error" : "success";
  BERTH_LOG(2, "Async Preemption finished completely", "preemptor", eviction.preemptor->full_name(), "node",
            eviction.node_name, "result", result);
  if (groups_.groups != nullptr) {
    groups_.groups->preemption_execution_duration.With(eviction.preemptor_type(), result).Observe(SecondsSince(since));
  }
  metrics_.preemption_goroutines_duration.With(result).Observe(SecondsSince(since));
  metrics_.preemption_goroutines_execution.With(result).Add();
}

void CoreObserver::DeviceSearchGivenUp(const cluster::PodInfo& pod) {
  metrics_.device_searches_given_up.With(pod.spec().scheduler_name).Add();
}

void CoreObserver::ClaimCreated(bool succeeded) {
  metrics_.claim_creates.With(succeeded ? "success" : "failure", "false", "", "Pod").Add();
}

void CoreObserver::DeviceAwaited(const cluster::PodInfo& pod, const api::DeviceRequestAllocationResult& device,
                                 DeviceWaitEnd end, Moment since) {
  const std::string& profile = pod.spec().scheduler_name;
  metrics_.binding_conditions_wait_duration.With(profile, device.driver, DeviceWaitName(end))
      .Observe(SecondsSince(since));
  if (device.binding_conditions.empty()) return;
  metrics_.binding_conditions_allocations.With(profile, device.driver, DeviceWaitName(end)).Add();
}

void CoreObserver::ExtenderSkipped(const cluster::PodInfo& pod, const framework::SkippedExtender& skipped) {
  telemetry::LogError("An extender failed and was passed over", "pod", pod.full_name(), "extender", skipped.extender,
                      "verb", skipped.stage, "node", skipped.node, "err", skipped.error);
}

void CoreObserver::CacheRepaired(const cluster::PodInfo& known, std::string_view node) {
  telemetry::LogError("The scheduler cache was wrong about a pod and has been repaired", "pod", known.full_name(),
                      "cachedNode", known.node_name, "currentNode", node);
}

void CoreObserver::StepEnded(const Levels& levels) {
  active_.Set(levels.active);
  backoff_.Set(levels.backoff);
  unschedulable_.Set(levels.unschedulable);
  gated_.Set(levels.gated);
  incomplete_.Set(static_cast<double>(levels.incomplete));
  pending_.Set(static_cast<double>(levels.pending));
  nodes_.Set(static_cast<double>(levels.nodes));
  pods_.Set(static_cast<double>(levels.pods));
  assumed_pods_.Set(static_cast<double>(levels.assumed_pods));
  if (bindings_ == nullptr && levels.bindings > 0) bindings_ = &metrics_.goroutines.With("binding");
  if (bindings_ != nullptr) bindings_->Set(static_cast<double>(levels.bindings));
  HandOverEvaluations();
}

void CoreObserver::ProfileEnded(const framework::Profile& profile) {
  const auto ended = evaluations_.find(&profile);
  if (ended == evaluations_.end()) return;
  HandOver(profile, ended->second);
  evaluations_.erase(ended);
}

void CoreObserver::HandOver(const framework::Profile& profile, Evaluations& counted) {
  for (size_t plugin = 0; plugin < counted.size(); ++plugin) {
    for (size_t point = 0; point < framework::kRunPointCount; ++point) {
      uint64_t& times = counted[plugin][point];
      if (times == 0) continue;
      metrics_.plugin_evaluation
          .With(profile.plugin(plugin).name(), framework::ToString(static_cast<RunPoint>(point)),
                profile.scheduler_name())
          .Add(times);
      times = 0;
    }
  }
}

void CoreObserver::HandOverEvaluations() {
  const int64_t now = clock_();
  if (now - handed_over_at_ < kHandOverNanos) return;
  handed_over_at_ = now;
  for (auto& [profile, counted] : evaluations_) HandOver(*profile, counted);
}

}  // namespace berth::scheduler_app
