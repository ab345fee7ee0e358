// SPDX-License-Identifier: Apache-2.0
#include "server/all_controllers.h"

#include <utility>

#include "server/controllers/autoscaling/autoscaler.h"
#include "server/controllers/cleanup/event_expiry.h"
#include "server/controllers/cleanup/garbage_collector.h"
#include "server/controllers/cleanup/pod_collector.h"
#include "server/controllers/cluster_role_aggregation.h"
#include "server/controllers/devices/device_claim_maker.h"
#include "server/controllers/devices/device_claim_release.h"
#include "server/controllers/devices/device_taint_eviction.h"
#include "server/controllers/jobs/cron_job_controller.h"
#include "server/controllers/jobs/job_controller.h"
#include "server/controllers/jobs/job_expiry.h"
#include "server/controllers/jobs/job_pod_release.h"
#include "server/controllers/namespaces/namespace_controller.h"
#include "server/controllers/namespaces/namespace_defaults_controller.h"
#include "server/controllers/namespaces/quota_controller.h"
#include "server/controllers/network/endpoints_mirror.h"
#include "server/controllers/network/service_endpoints.h"
#include "server/controllers/pods/disruption_controller.h"
#include "server/controllers/pods/group_protection.h"
#include "server/controllers/pods/taint_eviction.h"
#include "server/controllers/sets/daemon_set_controller.h"
#include "server/controllers/sets/deployment_controller.h"
#include "server/controllers/sets/replica_set_controller.h"
#include "server/controllers/sets/stateful_set_controller.h"
#include "server/controllers/volumes/ephemeral_volumes.h"
#include "server/controllers/volumes/volume_controller.h"
#include "server/controllers/volumes/volume_expansion.h"
#include "server/controllers/volumes/volume_protection.h"
#include "server/nodes/simulated_nodes.h"
#include "server/nodes/simulated_pods.h"

namespace berth::server {
namespace {

template <class... Each>
void AddAll(ControllerLoop& loop) {
  (loop.Add(std::make_unique<Each>(loop.cluster())), ...);
}

}  // namespace

void AddControllers(ControllerLoop& loop, ClusterRules rules) {
  const Cluster& cluster = loop.cluster();
  loop.Add(std::make_unique<SimulatedNodes>(cluster, rules.renews_leases));
  loop.Add(std::make_unique<SimulatedPods>(cluster, rules.lives));
  loop.Add(std::make_unique<GarbageCollector>(cluster, rules.is_whole));
  loop.Add(std::make_unique<PodCollector>(cluster, rules.is_whole, rules.keeps_ended_pods));
  AddAll<NamespaceController, DisruptionController, EventExpiry, DeploymentController, StatefulSetController,
         DaemonSetController, JobController, JobExpiry, JobPodRelease, VolumeController, VolumeExpansion,
         VolumeProtection, EphemeralVolumes, DeviceClaimMaker, DeviceClaimRelease, GroupProtection,
         ClusterRoleAggregation, QuotaController>(loop);
  if (rules.runs_cron_jobs) AddAll<CronJobController>(loop);
  if (rules.measures_pods) AddAll<Autoscaler>(loop);
  if (rules.publishes_endpoints) AddAll<ServiceEndpoints, EndpointsMirror>(loop);
  if (rules.evicts) AddAll<DeviceTaintEviction, TaintEviction>(loop);
  loop.Add(std::make_unique<NamespaceDefaultsController>(cluster, std::move(rules.root_ca), rules.is_whole));
  loop.Add(std::make_unique<ReplicaSetController>(cluster, cluster.Get("apps", "replicasets")));
  loop.Add(std::make_unique<ReplicaSetController>(cluster, cluster.Get("", "replicationcontrollers")));
}

}  // namespace berth::server
