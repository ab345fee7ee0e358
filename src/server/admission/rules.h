// SPDX-License-Identifier: Apache-2.0
// The rules of admission, by what they are about. Each looks at the request and lets it pass, changes it or refuses it.

#pragma once

#include <string_view>
#include <vector>

#include "server/admission/admission.h"

namespace berth::server {

struct ClusterView {
  const Store& store;
  const Catalog& catalog;
  Random& random;
  Extent extent = Extent::kApi;
};

// The objects of a resource in a namespace, in the order of names.
std::vector<ObjectPtr> ObjectsIn(const ClusterView& cluster, const Resource& resource, std::string_view ns);

using AdmissionRule = Outcome<void> (*)(const AdmissionRequest& request, const ClusterView& cluster);

// Namespaces: nothing is made in one that is absent or ending, and some must stay.
Outcome<void> CheckNamespace(const AdmissionRequest& request, const ClusterView& cluster);

// The service account that every namespace has.
inline constexpr std::string_view kDefaultAccount = "default";
// A pod gets an account, and what the account has for it.
Outcome<void> SetServiceAccount(const AdmissionRequest& request, const ClusterView& cluster);

// Ranges of limits: containers that say nothing get what their namespace gives, and pods and claims keep to it.
Outcome<void> FillFromLimitRanges(const AdmissionRequest& request, const ClusterView& cluster);
Outcome<void> CheckLimitRanges(const AdmissionRequest& request, const ClusterView& cluster);

// A pod gets the overhead of its runtime class, and goes where that one can run; no other pod has an overhead.
Outcome<void> ApplyRuntimeClass(const AdmissionRequest& request, const ClusterView& cluster);
Outcome<void> CheckOverhead(const AdmissionRequest& request, const ClusterView& cluster);

// Labels of namespaces by which pods are held to a standard of security, and pods that do not keep to it.
Outcome<void> CheckSecurityLabels(const AdmissionRequest& request, const ClusterView& cluster);
Outcome<void> CheckPodSecurity(const AdmissionRequest& request, const ClusterView& cluster);

// What the request adds to the quotas of its namespace; refused if one of them is used up.
Outcome<std::vector<QuotaCharge>> ChargeQuotas(const AdmissionRequest& request, const ClusterView& cluster);

// Pods and groups get the priority of their class.
Outcome<void> ResolvePriority(const AdmissionRequest& request, const ClusterView& cluster);
// There is one default class at most, and the system's classes stay.
Outcome<void> CheckPriorityClass(const AdmissionRequest& request, const ClusterView& cluster);

// Pods stay for five minutes on a node that fails, unless they say otherwise.
Outcome<void> TolerateFailingNodes(const AdmissionRequest& request, const ClusterView& cluster);
// A new node is not ready until a controller says so.
Outcome<void> TaintNewNode(const AdmissionRequest& request, const ClusterView& cluster);
// A pod carries the zone and region of its node.
Outcome<void> CopyTopologyLabels(const AdmissionRequest& request, const ClusterView& cluster);
// Copies them onto `labels`.
void AddTopologyLabels(Json& metadata, std::string_view node, const Store& store, const Catalog& catalog);

// Volumes and claims stay while they are in use.
Outcome<void> ProtectStorage(const AdmissionRequest& request, const ClusterView& cluster);
// A claim that names no class gets the default one.
Outcome<void> SetStorageClass(const AdmissionRequest& request, const ClusterView& cluster);
// Only claims of a class that can do it grow.
Outcome<void> CheckExpansion(const AdmissionRequest& request, const ClusterView& cluster);

// Groups stay while they have pods.
Outcome<void> ProtectGroups(const AdmissionRequest& request, const ClusterView& cluster);

// So many definitions of custom resources there may be.
inline constexpr size_t kDefinitionsMax = 1000;
Outcome<void> BoundDefinitions(const AdmissionRequest& request, const ClusterView& cluster);

// So many configurations of webhooks of each kind there may be.
inline constexpr size_t kWebhookConfigurationsMax = 100;
Outcome<void> BoundWebhooks(const AdmissionRequest& request, const ClusterView& cluster);

// So many quotas, and so many ranges of limits, a namespace may have, and so many resources one of them may limit.
inline constexpr size_t kQuotasMax = 100;
inline constexpr size_t kLimitedMax = 250;
Outcome<void> BoundQuotas(const AdmissionRequest& request, const ClusterView& cluster);

// Only in namespaces that are marked for it may claims reach into devices that others use.
Outcome<void> CheckAdminAccess(const AdmissionRequest& request, const ClusterView& cluster);

// Services get addresses and ports that no other service has.
Outcome<void> GiveServiceAddresses(const AdmissionRequest& request, const ClusterView& cluster);

}  // namespace berth::server
