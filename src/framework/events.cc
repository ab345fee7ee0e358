// SPDX-License-Identifier: Apache-2.0
#include "framework/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "cluster/pod_resources.h"

namespace berth::framework {
namespace {

// How events call a kind: "Node", "storage.k8s.io/CSINode".
std::string ResourceName(const api::KindRow& row) {
  return row.group.empty() ? std::string(row.kind) : fmt::format("{}/{}", row.group, api::ManifestKind(row.kind));
}

constexpr std::array<std::pair<uint32_t, std::string_view>, 17> kActionNames = {{
    {action::kAdd, "Add"},
    {action::kDelete, "Delete"},
    {action::kUpdateNodeAllocatable, "UpdateNodeAllocatable"},
    {action::kUpdateNodeLabel, "UpdateNodeLabel"},
    {action::kUpdateNodeTaint, "UpdateNodeTaint"},
    {action::kUpdateNodeCondition, "UpdateNodeCondition"},
    {action::kUpdateNodeAnnotation, "UpdateNodeAnnotation"},
    {action::kUpdateNodeDeclaredFeature, "UpdateNodeDeclaredFeature"},
    {action::kUpdateNodePreemptionPolicy, "UpdateNodePreemptionPolicy"},
    {action::kUpdatePodLabel, "UpdatePodLabel"},
    {action::kUpdatePodScaleDown, "UpdatePodScaleDown"},
    {action::kUpdatePodScaleUp, "UpdatePodScaleUp"},
    {action::kUpdatePodToleration, "UpdatePodToleration"},
    {action::kUpdatePodSchedulingGatesEliminated, "UpdatePodSchedulingGatesEliminated"},
    {action::kUpdatePodGeneratedResourceClaim, "UpdatePodGeneratedResourceClaim"},
    {action::kUpdate, "Update"},
    {action::kAll, "All"},
}};

bool ResourceMatches(EventResource registered, EventResource incoming) {
  if (registered == EventResource::kWildcard || registered == incoming) return true;
  return registered == EventResource::kPod &&
         (incoming == EventResource::kAssignedPod || incoming == EventResource::kUnscheduledPod ||
          incoming == EventResource::kTargetPod);
}

// Collects the events of one update.
class EventList {
 public:
  explicit EventList(EventResource resource) : resource_(resource) {}

  void AddIf(bool changed, uint32_t event_action) {
    if (changed) events_.push_back({resource_, event_action});
  }
  std::vector<ClusterEvent> Take() { return std::move(events_); }

 private:
  EventResource resource_;
  std::vector<ClusterEvent> events_;
};

// When a type is listed twice, the last one counts.
std::map<std::string_view, std::string_view> ConditionStatuses(const api::Node& node) {
  std::map<std::string_view, std::string_view> statuses;
  for (const api::NodeCondition& condition : node.conditions) statuses[condition.type] = condition.status;
  return statuses;
}

api::ResourceList Requests(const cluster::PodInfo& pod) {
  if (!pod.resized) return cluster::PodRequests(pod.spec(), {}, {});
  return cluster::PodRequests(pod.spec(), *pod.status, {.use_status = true});
}

// Whether `from` has a resource of which `to` has less or none.
bool Shrinks(const api::ResourceList& from, const api::ResourceList& to) {
  return std::ranges::any_of(from, [&](const api::ResourceList::Entry& entry) {
    const api::Quantity* other = to.Find(entry.first);
    return other == nullptr || entry.second.MilliValue() > other->MilliValue();
  });
}

void AddScaleEvents(const cluster::PodInfo& old_pod, const cluster::PodInfo& new_pod, EventList& events) {
  if (old_pod.pod_template == new_pod.pod_template && !old_pod.resized && !new_pod.resized) return;
  const api::ResourceList before = Requests(old_pod);
  const api::ResourceList after = Requests(new_pod);
  events.AddIf(Shrinks(before, after), action::kUpdatePodScaleDown);
  events.AddIf(Shrinks(after, before), action::kUpdatePodScaleUp);
}

bool ClaimStatusesEqual(const cluster::PodInfo& old_pod, const cluster::PodInfo& new_pod) {
  static const api::PodStatus kNone;
  const api::PodStatus& before = old_pod.status ? *old_pod.status : kNone;
  const api::PodStatus& after = new_pod.status ? *new_pod.status : kNone;
  return before.resource_claim_statuses == after.resource_claim_statuses &&
         before.extended_resource_claim_status == after.extended_resource_claim_status;
}

}  // namespace

std::string_view ToString(EventResource resource) {
  static const std::vector<std::string> kNames = [] {  // In the order of the enumerators.
    std::vector<std::string> names = {"Pod", "AssignedPod", "UnscheduledPod", "TargetPod"};
    for (const api::KindRow& row : std::span(api::kKindRows).subspan(1)) names.push_back(ResourceName(row));
    names.emplace_back("*");
    return names;
  }();
  return kNames[static_cast<size_t>(resource)];
}

std::string ActionToString(uint32_t action) {
  const auto* it = std::ranges::find(kActionNames, action, &std::pair<uint32_t, std::string_view>::first);
  return it == kActionNames.end() ? std::string() : std::string(it->second);
}

bool Matches(const ClusterEvent& registered, const ClusterEvent& incoming) {
  if (registered == ClusterEvent{}) return true;  // Everything.
  return ResourceMatches(registered.resource, incoming.resource) && (registered.action & incoming.action) != 0 &&
         incoming.action <= registered.action;
}

std::vector<ClusterEvent> NodeUpdateEvents(const api::Node& old_node, const api::Node& new_node) {
  EventList events(EventResource::kNode);
  events.AddIf(old_node.unschedulable && !new_node.unschedulable, action::kUpdateNodeTaint);
  events.AddIf(old_node.allocatable != new_node.allocatable, action::kUpdateNodeAllocatable);
  events.AddIf(old_node.meta.labels != new_node.meta.labels, action::kUpdateNodeLabel);
  events.AddIf(old_node.taints != new_node.taints, action::kUpdateNodeTaint);
  events.AddIf(ConditionStatuses(old_node) != ConditionStatuses(new_node), action::kUpdateNodeCondition);
  events.AddIf(old_node.meta.annotations != new_node.meta.annotations, action::kUpdateNodeAnnotation);
  events.AddIf(old_node.has_preemption_policy != new_node.has_preemption_policy ||
                   old_node.disable_resize_preemption != new_node.disable_resize_preemption,
               action::kUpdateNodePreemptionPolicy);
  events.AddIf(old_node.declared_features != new_node.declared_features, action::kUpdateNodeDeclaredFeature);
  return events.Take();
}

std::vector<ClusterEvent> PodUpdateEvents(const cluster::PodInfo& old_pod, const cluster::PodInfo& new_pod,
                                          EventResource resource) {
  const api::PodSpec& before = old_pod.spec();
  const api::PodSpec& after = new_pod.spec();
  if (!new_pod.node_name.empty()) resource = EventResource::kAssignedPod;
  EventList events(resource);
  events.AddIf(old_pod.label_set != new_pod.label_set && old_pod.labels() != new_pod.labels(), action::kUpdatePodLabel);
  AddScaleEvents(old_pod, new_pod, events);
  events.AddIf(!before.scheduling_gates.empty() && after.scheduling_gates.empty(),
               action::kUpdatePodSchedulingGatesEliminated);
  // Tolerations are only ever added.
  events.AddIf(before.tolerations.size() != after.tolerations.size(), action::kUpdatePodToleration);
  events.AddIf(!ClaimStatusesEqual(old_pod, new_pod), action::kUpdatePodGeneratedResourceClaim);
  std::vector<ClusterEvent> list = events.Take();
  if (list.empty()) list.push_back({resource, action::kUpdate});
  return list;
}

Result<QueueingHint> EnqueueExtensions::Hint(const cluster::PodInfo&, const Change&, const cluster::Cluster&) const {
  return QueueingHint::kQueue;
}

}  // namespace berth::framework
