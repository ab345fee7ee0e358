// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "server/admission/rules.h"

namespace berth::server {

// Each is served, listed by discovery and described by OpenAPI, which every client asks for.
Outcome<void> BoundDefinitions(const AdmissionRequest& request, const ClusterView& cluster) {
  const bool is_definition = request.resource.group == "apiextensions.k8s.io" && request.subresource.empty();
  if (request.verb != Verb::kCreate || !is_definition) return {};
  if (cluster.store.Count(request.resource) < kDefinitionsMax) return {};
  return Forbidden(request.resource, request.name, fmt::format("there are {} definitions already", kDefinitionsMax));
}

}  // namespace berth::server
