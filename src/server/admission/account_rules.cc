// SPDX-License-Identifier: Apache-2.0
#include "server/admission/rules.h"

namespace berth::server {
namespace {

// On pods that a kubelet made of its own files; they are as the files say.
constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";

}  // namespace

Outcome<void> SetServiceAccount(const AdmissionRequest& request, const ClusterView& cluster) {
  if (!cluster.gives_accounts || request.verb != Verb::kCreate || request.resource.plural != "pods") return {};
  const Json& pod = *request.object;
  if (!pod["spec"]["serviceAccountName"].text().empty() || pod["metadata"]["annotations"].Has(kMirrorPod)) return {};
  Json& spec = request.object->Make("spec");
  spec.Set("serviceAccountName", kDefaultAccount);
  spec.Set("serviceAccount", kDefaultAccount);  // Its old name.
  return {};
}

}  // namespace berth::server
