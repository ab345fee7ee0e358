// SPDX-License-Identifier: Apache-2.0
// CoreObserver: turns what the core does into metrics, and logs what it hears of, attempts and what came of them, at
// upstream's verbosity, and those that take too long.
//
// Durations of single plugins are taken in one attempt of ten, chosen by lot. How often plugins were asked is added up
// and handed over once a second, because it is many small numbers.
//
// Thread: core.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "framework/observer.h"
#include "telemetry/scheduler_metrics.h"
#include "telemetry/slow_trace.h"

namespace berth::scheduler_app {

class CoreObserver final : public framework::Observer {
 public:
  // Nanoseconds since some moment, never going back.
  using Clock = std::function<int64_t()>;
  static int64_t SteadyNanos();

  // Metrics that are there only with their gates.
  struct GroupObservation {
    telemetry::GroupMetrics* groups = nullptr;
    telemetry::PlacementMetrics* placements = nullptr;
  };

  // The metrics must outlive it.
  explicit CoreObserver(telemetry::SchedulerMetrics& metrics, Clock clock = SteadyNanos);
  void set_groups(GroupObservation groups);

  framework::Moment Start() override { return MakeMoment(clock_()); }
  framework::Moment StartPlugin() override { return is_sampled_ ? Start() : framework::Moment(); }

  void AttemptBegins(const framework::Profile& profile, const cluster::PodInfo& pod) override;
  void Reached(Step step) override;
  void AlgorithmEnds(framework::Moment since) override;
  void AttemptEnds(const framework::Profile& profile, Result result, framework::Moment since) override;
  void AttemptFailed(const cluster::PodInfo& pod, Result result, std::string_view message) override;
  void PodBound(const framework::BoundPod& bound) override;
  void PlacementsGenerated(const framework::Profile& profile, size_t count) override;
  void PlacementTried(const framework::Profile& profile, bool is_feasible, framework::Moment since) override;
  void GroupAlgorithmEnds(framework::Moment since) override;
  void GroupAttemptEnds(const framework::Profile& profile, GroupResult result, framework::Moment since) override;
  void PointRan(const framework::Profile& profile, framework::RunPoint point, framework::StatusCode code,
                framework::Moment since) override;
  void PluginRan(const framework::Profile& profile, const framework::Plugin& plugin, framework::RunPoint point,
                 framework::StatusCode code, size_t nodes, framework::Moment since) override;
  void PermitWaited(framework::StatusCode code, framework::Moment since) override;
  void PodQueued(Queue queue, const framework::QueueCause& cause, size_t members, bool is_arrival) override;
  void PodRejected(std::string_view plugin, std::string_view profile, int change) override;
  void InFlightChanged(const framework::QueueCause& cause, int change) override;
  void PodChanged(const framework::ClusterEvent& event, const cluster::PodInfo& pod) override;
  void NodeChanged(const framework::ClusterEvent& event, std::string_view node) override;
  void EventHandled(const framework::ClusterEvent& event, framework::Moment since) override;
  void HintGiven(std::string_view plugin, const framework::ClusterEvent& event,
                 std::optional<framework::QueueingHint> hint, framework::Moment since) override;
  void PreemptionDecided(const cluster::PodInfo& preemptor, std::string_view node) override;
  void PreemptionStarted(const framework::EvictPod& eviction, size_t victims) override;
  void VictimLeft(const framework::EvictPod& eviction, VictimEnd end, std::string_view error) override;
  void HarmDone(std::string_view preemptor_type, size_t groups, int64_t pdb_violations) override;
  void PreemptionEnded(const framework::EvictPod& eviction, bool failed, framework::Moment since) override;
  void DeviceSearchGivenUp(const cluster::PodInfo& pod) override;
  void ClaimCreated(bool succeeded) override;
  void DeviceAwaited(const cluster::PodInfo& pod, const api::DeviceRequestAllocationResult& device, DeviceWaitEnd end,
                     framework::Moment since) override;
  void ExtenderSkipped(const cluster::PodInfo& pod, const framework::SkippedExtender& skipped) override;
  void CacheRepaired(const cluster::PodInfo& known, std::string_view node) override;
  void StepEnded(const Levels& levels) override;
  void ProfileEnded(const framework::Profile& profile) override;

 private:
  // How often the plugins of a profile were asked, since that was last handed over: by plugin index, then by point.
  using Evaluations = std::vector<std::array<uint64_t, framework::kRunPointCount>>;

  double SecondsSince(framework::Moment since) const;
  bool Lot();
  // Loops over nodes and volumes that upstream runs in goroutines are run by the core itself: they have none.
  void NoGoroutines(std::string_view operation);
  void HandOverEvaluations();
  // A preemption was thought out.
  void Evaluated(std::string_view preemptor_type, framework::StatusCode code, framework::Moment since);

  // Gauges that are set at the end of every step.
  struct QueueGauges {
    std::string_view queue;
    telemetry::Gauge& pods;
    telemetry::Gauge& entities;
    telemetry::Gauge* groups = nullptr;  // With their gate.
    void Set(const Waiting& waiting) const;
  };
  QueueGauges GaugesOf(std::string_view queue) {
    return {queue, metrics_.pending_pods.With(queue), metrics_.queued_entities.With(queue, "pod")};
  }

  void HandOver(const framework::Profile& profile, Evaluations& counted);

  telemetry::SchedulerMetrics& metrics_;
  GroupObservation groups_;
  Clock clock_;
  QueueGauges active_ = GaugesOf("active");
  QueueGauges backoff_ = GaugesOf("backoff");
  QueueGauges unschedulable_ = GaugesOf("unschedulable");
  QueueGauges gated_ = GaugesOf("gated");
  telemetry::Gauge& incomplete_ = metrics_.pending_pods.With("incomplete");
  telemetry::Gauge& pending_ = metrics_.pending_pods.With("pending");
  telemetry::Gauge& nodes_ = metrics_.cache_size.With("nodes");
  telemetry::Gauge& pods_ = metrics_.cache_size.With("pods");
  telemetry::Gauge& assumed_pods_ = metrics_.cache_size.With("assumed_pods");
  telemetry::Gauge* bindings_ = nullptr;  // Shown once there are some.
  telemetry::SlowTrace trace_;
  bool is_sampled_ = false;
  uint64_t lot_ = 1;
  std::set<std::string, std::less<>> shown_operations_;
  std::map<const framework::Profile*, Evaluations> evaluations_;
  int64_t handed_over_at_ = 0;
};

}  // namespace berth::scheduler_app
