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

// Every write looks at them.
Outcome<void> BoundWebhooks(const AdmissionRequest& request, const ClusterView& cluster) {
  const Resource& resource = request.resource;
  const bool is_configuration =
      resource.group == "admissionregistration.k8s.io" && resource.kind.ends_with("WebhookConfiguration");
  if (request.verb != Verb::kCreate || !is_configuration) return {};
  if (cluster.store.Count(resource) < kWebhookConfigurationsMax) return {};
  return Forbidden(resource, request.name,
                   fmt::format("there are {} configurations already", kWebhookConfigurationsMax));
}

// Every write in the namespace looks at them.
Outcome<void> BoundQuotas(const AdmissionRequest& request, const ClusterView& cluster) {
  const std::string_view plural = request.resource.plural;
  if (request.object == nullptr || !request.resource.group.empty() || !request.subresource.empty() ||
      (plural != "resourcequotas" && plural != "limitranges")) {
    return {};
  }
  if (request.verb == Verb::kCreate && ObjectsIn(cluster, request.resource, request.ns).size() >= kQuotasMax) {
    return Forbidden(request.resource, request.name,
                     fmt::format("there are {} {} in the namespace already", kQuotasMax, plural));
  }
  const Json& spec = (*request.object)["spec"];
  size_t names = spec["hard"].size();
  for (const Json& item : spec["limits"].items()) {
    for (const Json::Member& list : item.members()) names += list.value.size();
  }
  if (names <= kLimitedMax) return {};
  return Forbidden(request.resource, request.name, fmt::format("it limits more than {} resources", kLimitedMax));
}

}  // namespace berth::server
