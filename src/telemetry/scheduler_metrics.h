// SPDX-License-Identifier: Apache-2.0
// The metrics of the scheduler: each with its name, help text, stability, labels and buckets, and nowhere else.
//
// Names, types, labels and buckets are kube-scheduler's, so that its dashboards and alerts keep working. A metric of a
// feature that Berth does not have is left out; what upstream measures in goroutines is measured in what takes their
// place. process_metrics.h has those that describe the process.
//
// Thread: constructed on one, then used on any.

#pragma once

#include "telemetry/metrics.h"
#include "telemetry/registry.h"

namespace berth::telemetry {

struct SchedulerMetrics {
  explicit SchedulerMetrics(Registry& r);

 private:
  Registry& in_;  // First, since the metrics below are made in it.
  using enum Stability;

 public:
  // Attempts to schedule a pod.
  Labelled<Counter>& schedule_attempts = in_.AddCounter(
      {"scheduler_schedule_attempts_total",
       "Attempts to schedule a pod, by how they ended: on a node, with no node that fits, or with an error.", kStable},
      {"result", "profile"});
  Labelled<Histogram>& scheduling_attempt_duration = in_.AddHistogram(
      {"scheduler_scheduling_attempt_duration_seconds",
       "How long an attempt to schedule a pod took, from the choice of a node to the end of its binding.", kStable},
      {"result", "profile"}, ExponentialBuckets(0.001, 2, 15));
  Histogram& scheduling_algorithm_duration =
      in_.AddHistogram({"scheduler_scheduling_algorithm_duration_seconds", "How long it took to choose a node.", kBeta},
                       ExponentialBuckets(0.001, 2, 15));
  Labelled<Histogram>& pod_scheduling_sli_duration =
      in_.AddHistogram({"scheduler_pod_scheduling_sli_duration_seconds",
                        "How long a pod took from its first entry into the queue until it was bound, over all "
                        "attempts, without the time "
                        "spent gated.",
                        kBeta},
                       {"attempts"}, ExponentialBuckets(0.01, 2, 20));
  Histogram& pod_scheduling_attempts =
      in_.AddHistogram({"scheduler_pod_scheduling_attempts", "How many attempts it took to schedule a pod.", kStable},
                       ExponentialBuckets(1, 2, 5));
  Counter& pod_scheduled_after_flush = in_.AddCounter(
      {"scheduler_pod_scheduled_after_flush_total",
       "Pods that were scheduled after they had been tried again only because they had waited too long."});
  Labelled<Gauge>& unschedulable_pods = in_.AddGauge(
      {"scheduler_unschedulable_pods",
       "Pods that wait because a plugin found no node for them. A pod turned down by several counts for each.", kBeta},
      {"plugin", "profile"});

  // Plugins.
  Labelled<Histogram>& framework_extension_point_duration =
      in_.AddHistogram({"scheduler_framework_extension_point_duration_seconds",
                        "How long all plugins of an extension point took.", kStable},
                       {"extension_point", "status", "profile"}, ExponentialBuckets(0.0001, 2, 12));
  Labelled<Histogram>& plugin_execution_duration = in_.AddHistogram(
      {"scheduler_plugin_execution_duration_seconds", "How long one plugin took at an extension point.", kBeta},
      {"plugin", "extension_point", "status"}, ExponentialBuckets(0.00001, 1.5, 20));
  Labelled<Counter>& plugin_evaluation = in_.AddCounter(
      {"scheduler_plugin_evaluation_total", "Attempts in which a plugin was asked at an extension point.", kBeta},
      {"plugin", "extension_point", "profile"});
  Labelled<Histogram>& permit_wait_duration =
      in_.AddHistogram({"scheduler_permit_wait_duration_seconds", "How long a pod waited for its permit.", kBeta},
                       {"result"}, ExponentialBuckets(0.001, 2, 15));
  Labelled<Gauge>& goroutines = in_.AddGauge(
      {"scheduler_goroutines", "Work under way, by what it does, such as pods being bound.", kBeta}, {"operation"});

  // The queue.
  Labelled<Gauge>& pending_pods = in_.AddGauge(
      {"scheduler_pending_pods", "Pods that wait, by where they wait in the scheduling queue.", kStable}, {"queue"});
  Labelled<Gauge>& queued_entities = in_.AddGauge(
      {"scheduler_queued_entities", "Pods and groups of pods that wait, by where they wait in the scheduling queue."},
      {"queue", "type"});
  Labelled<Counter>& queue_incoming_pods =
      in_.AddCounter({"scheduler_queue_incoming_pods_total",
                      "Pods that entered a part of the scheduling queue, by what made them.", kStable},
                     {"queue", "event"});
  Labelled<Counter>& queue_incoming_entities =
      in_.AddCounter({"scheduler_queue_incoming_entities_total",
                      "Pods and groups of pods that entered a part of the scheduling queue, by what made them."},
                     {"queue", "event", "type"});
  Labelled<Gauge>& inflight_events = in_.AddGauge(
      {"scheduler_inflight_events", "Events that are kept because pods are being scheduled that they may concern."},
      {"event"});
  Labelled<Histogram>& queueing_hint_execution_duration =
      in_.AddHistogram({"scheduler_queueing_hint_execution_duration_seconds",
                        "How long a plugin took to say whether an event may help a pod."},
                       {"plugin", "event", "hint"}, ExponentialBuckets(0.00001, 1.5, 20));
  Labelled<Histogram>& event_handling_duration = in_.AddHistogram(
      {"scheduler_event_handling_duration_seconds", "How long it took to handle an event of the cluster."}, {"event"},
      ExponentialBuckets(0.0001, 2, 12));

  // Preemption.
  Histogram& preemption_victims = in_.AddHistogram(
      {"scheduler_preemption_victims", "How many pods were chosen as victims of one preemption.", kStable},
      ExponentialBuckets(1, 2, 7));
  Counter& preemption_attempts = in_.AddCounter(
      {"scheduler_preemption_attempts_total", "Attempts to make room for a pod by preemption.", kStable});
  // Deprecated in 1.37.0, which upstream's builds show only when they are stamped with a version.
  Labelled<Histogram>& preemption_goroutines_duration = in_.AddHistogram(
      {"scheduler_preemption_goroutines_duration_seconds", "How long it took to carry out a preemption."}, {"result"},
      ExponentialBuckets(0.01, 2, 20));
  Labelled<Counter>& preemption_goroutines_execution = in_.AddCounter(
      {"scheduler_preemption_goroutines_execution_total", "Preemptions that were carried out."}, {"result"});

  // The cache, and decisions that are reused for pods that are alike.
  Labelled<Gauge>& cache_size = in_.AddGauge(
      {"scheduler_cache_size", "Nodes, pods and assumed pods in the scheduler's picture of the cluster."}, {"type"});
  Labelled<Counter>& batch_attempts =
      in_.AddCounter({"scheduler_batch_attempts_total",
                      "Attempts, by what became of the node that a pod of the same kind had left as a hint."},
                     {"profile", "result"});
  Labelled<Counter>& batch_cache_flushed = in_.AddCounter(
      {"scheduler_batch_cache_flushed_total", "How often what a pod had left for the next was thrown away, by reason."},
      {"profile", "reason"});
  Labelled<Counter>& batch_rescore_attempts = in_.AddCounter(
      {"scheduler_batch_rescore_attempts_total", "How often nodes left by a pod for the next were scored again."},
      {"profile"});
  Labelled<Histogram>& batch_rescore_duration =
      in_.AddHistogram({"scheduler_batch_rescore_duration_seconds", "How long it took to score such nodes again."},
                       {"profile"}, ExponentialBuckets(0.00001, 2, 12));
  Labelled<Histogram>& get_node_hint_duration = in_.AddHistogram(
      {"scheduler_get_node_hint_duration_seconds", "How long it took to look for the hint of a pod of the same kind."},
      {"hinted", "profile"}, ExponentialBuckets(0.00001, 2, 12));
  Labelled<Histogram>& store_schedule_results_duration =
      in_.AddHistogram({"scheduler_store_schedule_results_duration_seconds",
                        "How long it took to leave a result for the next pod of the same kind."},
                       {"profile"}, ExponentialBuckets(0.00001, 2, 12));

  // Volumes.
  Labelled<Counter>& volume_binder_cache_requests = in_.AddCounter(
      {"scheduler_volume_binder_cache_requests_total", "Questions to the volumes that are assumed to be bound."},
      {"operation"});
  Labelled<Counter>& volume_scheduling_stage_error = in_.AddCounter(
      {"scheduler_volume_scheduling_stage_error_total", "Errors while volumes were chosen or bound, by stage."},
      {"operation"});

  // Devices.
  Labelled<Counter>& claim_creates = in_.AddCounter(
      {"dynamic_resource_allocation_resourceclaim_creates_total",
       "ResourceClaims that were to be created for extended resources, by whether they were, and by kind of owner."},
      {"status", "admin_access", "owner_api_group", "owner_api_kind"});
  Labelled<Counter>& binding_conditions_allocations =
      in_.AddCounter({"scheduler_dra_bindingconditions_allocations_total",
                      "Devices with binding conditions that attempts waited for, by driver and how that ended."},
                     {"profile", "driver", "status"});
  Labelled<Histogram>& binding_conditions_wait_duration = in_.AddHistogram(
      {"scheduler_dra_bindingconditions_wait_duration_seconds",
       "How long attempts waited for the binding conditions of devices, for each device that the pod has."},
      {"profile", "driver", "status"}, ExponentialBuckets(0.1, 2, 14));
  Labelled<Counter>& device_searches_given_up =
      in_.AddCounter({"berth_device_searches_given_up_total",
                      "Searches for the devices of a pod on a node that were given up after too many steps."},
                     {"profile"});

  // The configuration file.
  Labelled<Counter>& config_reloads = in_.AddCounter(
      {"berth_config_reloads_total", "Changes of the configuration file, by whether they were applied or refused."},
      {"result"});
};

// Groups of pods; there with the gate GenericWorkload.
struct GroupMetrics {
  explicit GroupMetrics(Registry& r) : in_(r) {}

 private:
  Registry& in_;

 public:
  Labelled<Counter>& attempts = in_.AddCounter(
      {"scheduler_podgroup_schedule_attempts_total", "Attempts to schedule a group of pods, by what came of them."},
      {"result", "profile"});
  Labelled<Histogram>& attempt_duration = in_.AddHistogram(
      {"scheduler_podgroup_scheduling_attempt_duration_seconds", "How long an attempt to schedule a group took."},
      {"result", "profile"}, ExponentialBuckets(0.001, 2, 15));
  Histogram& algorithm_duration = in_.AddHistogram({"scheduler_podgroup_scheduling_algorithm_duration_seconds",
                                                    "How long it took to find places for the pods of a group."},
                                                   ExponentialBuckets(0.001, 2, 15));
  Labelled<Counter>& preemption_attempts = in_.AddCounter(
      {"scheduler_workload_preemption_attempts_total", "Attempts to make room for a group by preemption."}, {"result"});
  Histogram& preemption_victims = in_.AddHistogram(
      {"scheduler_workload_preemption_victims", "How many pods were chosen as victims of one preemption by a group."},
      ExponentialBuckets(1, 2, 11));
  Labelled<Histogram>& preemption_disruptions = in_.AddHistogram(
      {"scheduler_preemption_workload_disruptions",
       "How many groups, or single pods of groups that may be disrupted one by one, were victims of one preemption."},
      {"preemptor"}, ExponentialBuckets(1, 2, 11));
  Labelled<Histogram>& preemption_evaluation_duration = in_.AddHistogram(
      {"scheduler_preemption_evaluation_duration_seconds", "How long it took to find the victims of a preemption."},
      {"preemptor", "result"}, ExponentialBuckets(0.001, 2, 16));
  Labelled<Histogram>& preemption_execution_duration = in_.AddHistogram(
      {"scheduler_preemption_execution_duration_seconds", "How long it took to evict the victims of a preemption."},
      {"preemptor", "result"}, ExponentialBuckets(0.001, 2, 16));
  Labelled<Counter>& preemption_pdb_violations =
      in_.AddCounter({"scheduler_preemption_pdb_violations_total",
                      "Victims of preemptions that a disruption budget did not allow to evict."},
                     {"preemptor"});
};

// Places among which groups choose; there with the gate TopologyAwareWorkloadScheduling.
struct PlacementMetrics {
  explicit PlacementMetrics(Registry& r) : in_(r) {}

 private:
  Registry& in_;

 public:
  Labelled<Counter>& generated = in_.AddCounter(
      {"scheduler_generated_placements_total", "Placements among which groups of pods could choose."}, {"profile"});
  Labelled<Counter>& evaluations =
      in_.AddCounter({"scheduler_placement_evaluations_total", "Placements that were tried out for a group of pods."},
                     {"result", "profile"});
  Labelled<Histogram>& evaluation_duration =
      in_.AddHistogram({"scheduler_placement_evaluation_duration_seconds",
                        "How long it took to try out a placement for a group of pods."},
                       {"result", "profile"}, ExponentialBuckets(0.001, 2, 15));
};

// Requests to the API server, watches, and leadership.
struct ClientMetrics {
  explicit ClientMetrics(Registry& r);

 private:
  Registry& in_;
  static Buckets Latencies() { return {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}; }
  static Buckets Sizes() { return {64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216}; }
  static Buckets WorkDurations() { return ExponentialBuckets(10e-9, 10, 10); }
  using enum Stability;

 public:
  Labelled<Counter>& requests =
      in_.AddCounter({"rest_client_requests_total", "Requests to the API server, by status of the answer."},
                     {"code", "method", "host"});
  Labelled<Counter>& request_retries = in_.AddCounter(
      {"rest_client_request_retries_total", "Requests that were repeated, by status of the last answer."},
      {"code", "verb", "host"});
  Labelled<Histogram>& request_duration = in_.AddHistogram(
      {"rest_client_request_duration_seconds", "How long requests took, from the call to the end of the answer."},
      {"verb", "host"}, Latencies());
  Labelled<Histogram>& rate_limiter_duration = in_.AddHistogram(
      {"rest_client_rate_limiter_duration_seconds", "How long requests waited to keep to the client's own rate limit."},
      {"verb", "host"}, Latencies());
  Labelled<Histogram>& request_size = in_.AddHistogram(
      {"rest_client_request_size_bytes", "Size of the bodies of requests."}, {"verb", "host"}, Sizes());
  Labelled<Histogram>& response_size = in_.AddHistogram(
      {"rest_client_response_size_bytes", "Size of the bodies of answers."}, {"verb", "host"}, Sizes());
  Gauge& exec_plugin_ttl = in_.AddGauge(
      {"rest_client_exec_plugin_ttl_seconds",
       "Seconds until the first certificate that a credential plugin gave expires; infinite if there is none."});
  Histogram& exec_plugin_certificate_rotation_age =
      in_.AddHistogram({"rest_client_exec_plugin_certificate_rotation_age",
                        "Age in seconds of certificates of credential plugins when they were replaced."},
                       {600, 1800, 3600, 14400, 86400, 604800, 2592000, 7776000, 15552000, 31104000, 124416000});
  Labelled<Counter>& exec_plugin_calls =
      in_.AddCounter({"rest_client_exec_plugin_call_total", "Calls of credential plugins, by exit code and outcome."},
                     {"code", "call_status"});
  Gauge& transport_cache_entries =
      in_.AddGauge({"rest_client_transport_cache_entries", "Transports that clients share."});
  Labelled<Counter>& transport_create_calls = in_.AddCounter(
      {"rest_client_transport_create_calls_total", "Questions for a transport: found, made, or not to be shared."},
      {"result"});
  Counter& transport_cert_rotation_gc_calls =
      in_.AddCounter({"rest_client_transport_cert_rotation_gc_calls_total",
                      "How often the watch over a rotating certificate was ended."});

  // Watches of one kind of object.
  Labelled<Histogram>& informer_processing_latency = in_.AddHistogram(
      {"informer_processing_latency_seconds", "How long it took to hand over what a watch delivered."},
      {"name", "group", "version", "resource"}, {0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10});
  Labelled<Gauge>& informer_queued_items =
      in_.AddGauge({"informer_queued_items", "What watches delivered and nobody has taken yet."},
                   {"name", "group", "version", "resource"});
  Labelled<Gauge>& informer_store_resource_version =
      in_.AddGauge({"informer_store_resource_version", "The last resource version that a watch has delivered."},
                   {"name", "group", "version", "resource"});

  Labelled<Counter>& skipped_objects =
      in_.AddCounter({"berth_skipped_objects_total",
                      "Objects that could not be read and were skipped; each of their versions counts once."},
                     {"resource"});

  // Work that is queued and done one by one, such as reading certificates again.
  Labelled<Counter>& workqueue_adds =
      in_.AddCounter({"workqueue_adds_total", "Items that were put into a work queue.", kBeta}, {"name"});
  Labelled<Gauge>& workqueue_depth = in_.AddGauge({"workqueue_depth", "Items in a work queue.", kBeta}, {"name"});
  Labelled<Histogram>& workqueue_queue_duration = in_.AddHistogram(
      {"workqueue_queue_duration_seconds", "How long items stayed in a work queue.", kBeta}, {"name"}, WorkDurations());
  Labelled<Histogram>& workqueue_work_duration = in_.AddHistogram(
      {"workqueue_work_duration_seconds", "How long the work on an item took.", kBeta}, {"name"}, WorkDurations());
  Labelled<Counter>& workqueue_retries =
      in_.AddCounter({"workqueue_retries_total", "Items of a work queue that are to be tried again.", kBeta}, {"name"});
  Labelled<Gauge>& workqueue_unfinished_work = in_.AddGauge(
      {"workqueue_unfinished_work_seconds", "Seconds of work under way that is not finished.", kBeta}, {"name"});
  Labelled<Gauge>& workqueue_longest_running_processor = in_.AddGauge(
      {"workqueue_longest_running_processor_seconds", "Seconds that the oldest work under way has taken.", kBeta},
      {"name"});

  Labelled<Gauge>& leader_election_master_status =
      in_.AddGauge({"leader_election_master_status", "1 if this process holds the lease, else 0."}, {"name"});
  Labelled<Counter>& leader_election_slowpath =
      in_.AddCounter({"leader_election_slowpath_total", "Renewals of the lease that had to read it first."}, {"name"});
};

}  // namespace berth::telemetry
