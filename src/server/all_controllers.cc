// SPDX-License-Identifier: Apache-2.0
#include "server/all_controllers.h"

#include <utility>

#include "server/controllers/autoscaling/autoscaler.h"
#include "server/controllers/cluster_role_aggregation.h"
#include "server/controllers/cron_job_controller.h"
#include "server/controllers/daemon_set_controller.h"
#include "server/controllers/deployment_controller.h"
#include "server/controllers/device_claim_maker.h"
#include "server/controllers/device_claim_release.h"
#include "server/controllers/device_taint_eviction.h"
#include "server/controllers/disruption_controller.h"
#include "server/controllers/ephemeral_volumes.h"
#include "server/controllers/event_expiry.h"
#include "server/controllers/garbage_collector.h"
#include "server/controllers/group_protection.h"
#include "server/controllers/job_controller.h"
#include "server/controllers/job_expiry.h"
#include "server/controllers/job_pod_release.h"
#include "server/controllers/namespace_defaults_controller.h"
#include "server/controllers/namespaces/namespace_controller.h"
#include "server/controllers/network/endpoints_mirror.h"
#include "server/controllers/network/service_endpoints.h"
#include "server/controllers/pod_collector.h"
#include "server/controllers/quota_controller.h"
#include "server/controllers/replica_set_controller.h"
#include "server/controllers/stateful_set_controller.h"
#include "server/controllers/taint_eviction.h"
#include "server/controllers/volume_controller.h"
#include "server/controllers/volume_protection.h"
#include "server/controllers/volumes/volume_expansion.h"
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
