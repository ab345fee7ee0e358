// SPDX-License-Identifier: Apache-2.0
// The rules of every kind that is served.

#pragma once

#include <memory>

#include "server/model/strategy.h"

namespace berth::server {

// Core.
std::unique_ptr<Strategy> MakeConfigMapStrategy();
std::unique_ptr<Strategy> MakeEndpointsStrategy();
std::unique_ptr<Strategy> MakeEventStrategy();  // Of the core group; see MakeNewEventStrategy.
std::unique_ptr<Strategy> MakeLimitRangeStrategy();
std::unique_ptr<Strategy> MakeNamespaceStrategy();
std::unique_ptr<Strategy> MakeNodeStrategy();
std::unique_ptr<Strategy> MakePersistentVolumeClaimStrategy();
std::unique_ptr<Strategy> MakePersistentVolumeStrategy();
std::unique_ptr<Strategy> MakeResourceQuotaStrategy();
std::unique_ptr<Strategy> MakeSecretStrategy();
std::unique_ptr<Strategy> MakeServiceAccountStrategy();
std::unique_ptr<Strategy> MakeServiceStrategy();

// Pods and what makes them.
std::unique_ptr<Strategy> MakeControllerRevisionStrategy();
std::unique_ptr<Strategy> MakeCronJobStrategy();
std::unique_ptr<Strategy> MakeDaemonSetStrategy();
std::unique_ptr<Strategy> MakeDeploymentStrategy();
std::unique_ptr<Strategy> MakeJobStrategy();
std::unique_ptr<Strategy> MakePodStrategy();
std::unique_ptr<Strategy> MakePodTemplateStrategy();
std::unique_ptr<Strategy> MakeReplicaSetStrategy();
std::unique_ptr<Strategy> MakeReplicationControllerStrategy();
std::unique_ptr<Strategy> MakeStatefulSetStrategy();

// Of other groups.
std::unique_ptr<Strategy> MakeApiServiceStrategy();
std::unique_ptr<Strategy> MakeCertificateSigningRequestStrategy();
std::unique_ptr<Strategy> MakeClusterTrustBundleStrategy();
std::unique_ptr<Strategy> MakeCoscheduledGroupStrategy();  // scheduling.x-k8s.io
std::unique_ptr<Strategy> MakeEndpointSliceStrategy();
std::unique_ptr<Strategy> MakeHorizontalPodAutoscalerStrategy();
std::unique_ptr<Strategy> MakeLeaseStrategy();
std::unique_ptr<Strategy> MakeNewEventStrategy();       // events.k8s.io
std::unique_ptr<Strategy> MakeOldAutoscalerStrategy();  // autoscaling/v1
std::unique_ptr<Strategy> MakePodDisruptionBudgetStrategy();
std::unique_ptr<Strategy> MakePriorityClassStrategy();
std::unique_ptr<Strategy> MakeRuntimeClassStrategy();
std::unique_ptr<Strategy> MakeStorageVersionMigrationStrategy();

// scheduling.k8s.io, besides priority classes. The same for all versions.
std::unique_ptr<Strategy> MakeCompositePodGroupStrategy();
std::unique_ptr<Strategy> MakePodGroupStrategy();
std::unique_ptr<Strategy> MakeWorkloadStrategy();

// networking.k8s.io
std::unique_ptr<Strategy> MakeIngressClassStrategy();
std::unique_ptr<Strategy> MakeIngressStrategy();
std::unique_ptr<Strategy> MakeIpAddressStrategy();
std::unique_ptr<Strategy> MakeNetworkPolicyStrategy();
std::unique_ptr<Strategy> MakeServiceCidrStrategy();

// rbac.authorization.k8s.io; both also of the whole cluster.
std::unique_ptr<Strategy> MakeRoleBindingStrategy();
std::unique_ptr<Strategy> MakeRoleStrategy();

// resource.k8s.io
std::unique_ptr<Strategy> MakeDeviceClassStrategy();
std::unique_ptr<Strategy> MakeDeviceTaintRuleStrategy();
std::unique_ptr<Strategy> MakeResourceClaimStrategy();
std::unique_ptr<Strategy> MakeResourceClaimTemplateStrategy();
std::unique_ptr<Strategy> MakeResourceSliceStrategy();

// storage.k8s.io
std::unique_ptr<Strategy> MakeCsiDriverStrategy();
std::unique_ptr<Strategy> MakeCsiNodeStrategy();
std::unique_ptr<Strategy> MakeCsiStorageCapacityStrategy();
std::unique_ptr<Strategy> MakeStorageClassStrategy();
std::unique_ptr<Strategy> MakeVolumeAttachmentStrategy();
std::unique_ptr<Strategy> MakeVolumeAttributesClassStrategy();

}  // namespace berth::server
