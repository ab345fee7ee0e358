// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "server/admission/rules.h"

namespace berth::server {
namespace {

constexpr std::string_view kPreempts = "PreemptLowerPriority";

const Resource& PriorityClasses(const ClusterView& cluster) {
  return cluster.catalog.Get("scheduling.k8s.io", "priorityclasses");
}

// The class for pods that name none; null if there is none. Of several the lowest counts.
ObjectPtr DefaultPriorityClass(const ClusterView& cluster) {
  ObjectPtr best;
  int64_t lowest = 0;
  for (const auto& [key, object] : cluster.store.All(PriorityClasses(cluster))) {
    // Every new pod asks: most classes are told apart without being read.
    if (object->json()->find("globalDefault\":true") == std::string::npos) continue;
    const Json tree = object->Tree();
    const int64_t value = tree["value"].IntOr(0);
    if (!tree["globalDefault"].AsBool() || (best != nullptr && value >= lowest)) continue;
    best = object;
    lowest = value;
  }
  return best;
}

Outcome<void> ResolveNew(const AdmissionRequest& request, const ClusterView& cluster) {
  Json& spec = request.object->Make("spec");
  const std::string asked = spec["priorityClassName"].text();
  const ObjectPtr found =
      asked.empty() ? DefaultPriorityClass(cluster) : cluster.store.Find(PriorityClasses(cluster), "", asked);
  if (found == nullptr && !asked.empty()) {
    return Forbidden(request.resource, request.name, "no PriorityClass with name " + asked + " was found");
  }
  int64_t priority = 0;
  std::string policy(kPreempts);
  if (found != nullptr) {
    const Json tree = found->Tree();
    priority = tree["value"].IntOr(0);
    if (!tree["preemptionPolicy"].text().empty()) policy = tree["preemptionPolicy"].text();
    spec.Set("priorityClassName", found->name());
  }
  if (const Json& given = spec["priority"]; !given.is_null() && given.IntOr(0) != priority) {
    return Forbidden(request.resource, request.name,
                     fmt::format("the integer value of priority ({}) must not be provided in pod spec; priority "
                                 "admission controller computed {} from the given PriorityClass name",
                                 given.text(), priority));
  }
  if (const Json& given = spec["preemptionPolicy"]; !given.is_null() && given.text() != policy) {
    return Forbidden(request.resource, request.name,
                     fmt::format("the string value of PreemptionPolicy ({}) must not be provided in pod spec; priority "
                                 "admission controller computed {} from the given PriorityClass name",
                                 given.text(), policy));
  }
  spec.Set("priority", Json::Int(priority));
  spec.Set("preemptionPolicy", policy);
  return {};
}

}  // namespace

Outcome<void> ResolvePriority(const AdmissionRequest& request, const ClusterView& cluster) {
  if (request.resource.plural != "pods" || !request.subresource.empty() || request.object == nullptr) return {};
  if (request.verb == Verb::kCreate) return ResolveNew(request, cluster);
  // A client that does not know these fields does not mean to clear them.
  Json& spec = request.object->Make("spec");
  for (const std::string_view name : {"priority", "preemptionPolicy"}) {
    if (const Json& old = (*request.old)["spec"][name]; !old.is_null()) spec.SetDefault(name, old);
  }
  return {};
}

Outcome<void> CheckPriorityClass(const AdmissionRequest& request, const ClusterView& cluster) {
  if (request.resource.plural != "priorityclasses") return {};
  if (request.verb == Verb::kDelete) {
    if (request.name != "system-cluster-critical" && request.name != "system-node-critical") return {};
    return Forbidden(request.resource, request.name, "this is a system priority class and cannot be deleted");
  }
  if (!(*request.object)["globalDefault"].AsBool()) return {};
  const ObjectPtr present = DefaultPriorityClass(cluster);
  if (present == nullptr || present->name() == request.name) return {};
  return Forbidden(
      request.resource, request.name,
      fmt::format("PriorityClass {} is already marked as default. Only one default can exist", present->name()));
}

}  // namespace berth::server
