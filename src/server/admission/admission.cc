// SPDX-License-Identifier: Apache-2.0
#include "server/admission/admission.h"

#include "server/admission/rules.h"

namespace berth::server {
namespace {

// In upstream's order; access to devices and the addresses of services come behind its plugins.
constexpr AdmissionRule kRules[] = {
    CheckNamespace,     FillFromLimitRanges,  SetServiceAccount,  TaintNewNode,     ResolvePriority,
    CheckPriorityClass, TolerateFailingNodes, SetStorageClass,    ProtectStorage,   ProtectGroups,
    CheckExpansion,     ApplyRuntimeClass,    CopyTopologyLabels, CheckAdminAccess, GiveServiceAddresses,
    BoundDefinitions,   BoundWebhooks,
};

// The same for objects that are valid; quotas come last.
constexpr AdmissionRule kChecks[] = {BoundQuotas, CheckLimitRanges, CheckSecurityLabels, CheckPodSecurity,
                                     CheckOverhead};

}  // namespace

ClusterView Admission::ViewFor(const AdmissionRequest& request) {
  return {.store = store_,
          .catalog = catalog_,
          .random = request.random != nullptr ? *request.random : random_,
          .extent = extent_};
}

Outcome<void> Admission::Admit(const AdmissionRequest& request) {
  const ClusterView cluster = ViewFor(request);
  for (const AdmissionRule rule : kRules) BERTH_CHECK_OK(rule(request, cluster));
  return {};
}

Outcome<std::vector<QuotaCharge>> Admission::Check(const AdmissionRequest& request) {
  const ClusterView cluster = ViewFor(request);
  for (const AdmissionRule rule : kChecks) BERTH_CHECK_OK(rule(request, cluster));
  return ChargeQuotas(request, cluster);
}

}  // namespace berth::server
