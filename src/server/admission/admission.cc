// SPDX-License-Identifier: Apache-2.0
#include "server/admission/admission.h"

#include "server/admission/rules.h"

namespace berth::server {
namespace {

// In upstream's order; access to devices and the addresses of services come behind its plugins.
constexpr AdmissionRule kRules[] = {
    CheckNamespace,       SetServiceAccount, TaintNewNode,         ResolvePriority,  CheckPriorityClass,
    TolerateFailingNodes, SetStorageClass,   ProtectStorage,       ProtectGroups,    CheckExpansion,
    CopyTopologyLabels,   CheckAdminAccess,  GiveServiceAddresses, BoundDefinitions,
};

}  // namespace

Outcome<void> Admission::Admit(const AdmissionRequest& request) const {
  const ClusterView cluster{.store = store_, .catalog = catalog_, .gives_accounts = gives_accounts_};
  for (const AdmissionRule rule : kRules) BERTH_CHECK_OK(rule(request, cluster));
  return {};
}

}  // namespace berth::server
