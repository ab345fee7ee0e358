// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "server/admission/rules.h"

namespace berth::server {
namespace {

constexpr std::string_view kPreempts = "PreemptLowerPriority";
constexpr std::string_view kScheduling = "scheduling.k8s.io";

const Resource& PriorityClasses(const ClusterView& cluster) {
  return cluster.catalog.Get(kScheduling, "priorityclasses");
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

// What a priority class, or its absence, says.
struct Resolved {
  std::string class_name;
  int64_t priority = 0;
  std::string policy{kPreempts};
};

Outcome<Resolved> Resolve(const AdmissionRequest& request, const ClusterView& cluster) {
  const std::string asked = (*request.object)["spec"]["priorityClassName"].text();
  const ObjectPtr found =
      asked.empty() ? DefaultPriorityClass(cluster) : cluster.store.Find(PriorityClasses(cluster), "", asked);
  if (found == nullptr && !asked.empty()) {
    return Forbidden(request.resource, request.name, "no PriorityClass with name " + asked + " was found");
  }
  Resolved resolved;
  if (found == nullptr) return resolved;
  const Json tree = found->Tree();
  resolved.class_name = found->name();
  resolved.priority = tree["value"].IntOr(0);
  if (!tree["preemptionPolicy"].text().empty()) resolved.policy = tree["preemptionPolicy"].text();
  return resolved;
}

// `what` has the priority, `with_policy` whether it has a policy as well.
Outcome<void> ResolveNew(const AdmissionRequest& request, const ClusterView& cluster, std::string_view what,
                         bool with_policy) {
  const Resolved resolved = BERTH_TRY(Resolve(request, cluster));
  Json& spec = request.object->Make("spec");
  if (!resolved.class_name.empty()) spec.Set("priorityClassName", resolved.class_name);
  if (const Json& given = spec["priority"]; !given.is_null() && given.IntOr(0) != resolved.priority) {
    constexpr std::string_view kOfPods =
        "the integer value of priority ({1}) must not be provided in {0} spec; priority admission controller computed "
        "{2} from the given PriorityClass name";
    constexpr std::string_view kOfGroups =
        "priority set in the {0} ({1}) must match the priority computed ({2}) based on the priority class set in the "
        "spec";
    return Forbidden(
        request.resource, request.name,
        fmt::format(fmt::runtime(what == "pod" ? kOfPods : kOfGroups), what, given.text(), resolved.priority));
  }
  spec.Set("priority", Json::Int(resolved.priority));
  if (!with_policy) return {};
  if (const Json& given = spec["preemptionPolicy"]; !given.is_null() && given.text() != resolved.policy) {
    return Forbidden(request.resource, request.name,
                     fmt::format("the string value of PreemptionPolicy ({}) must not be provided in {} spec; priority "
                                 "admission controller computed {} from the given PriorityClass name",
                                 given.text(), what, resolved.policy));
  }
  spec.Set("preemptionPolicy", resolved.policy);
  return {};
}

}  // namespace

Outcome<void> ResolvePriority(const AdmissionRequest& request, const ClusterView& cluster) {
  if (!request.subresource.empty() || request.object == nullptr) return {};
  if (request.resource.group == kScheduling && request.verb == Verb::kCreate) {
    const bool with_policy = cluster.catalog.gates().Enabled(framework::Gate::kPodGroupPreemptionPolicy);
    if (request.resource.plural == "podgroups") return ResolveNew(request, cluster, "pod group", with_policy);
    if (request.resource.plural != "compositepodgroups") return {};
    return ResolveNew(request, cluster, "composite pod group", with_policy);
  }
  if (request.resource.plural != "pods") return {};
  if (request.verb == Verb::kCreate) return ResolveNew(request, cluster, "pod", true);
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
