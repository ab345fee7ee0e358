// SPDX-License-Identifier: Apache-2.0
#include "server/admission/rules.h"
#include "server/model/metadata.h"

namespace berth::server {

Outcome<void> ProtectGroups(const AdmissionRequest& request, const ClusterView& /*cluster*/) {
  const bool is_group = request.resource.group == "scheduling.k8s.io" && request.resource.plural == "podgroups";
  if (request.verb != Verb::kCreate || !is_group || !request.subresource.empty()) return {};
  AddFinalizer(request.object->Make("metadata"), kGroupProtectionFinalizer);
  return {};
}

}  // namespace berth::server
