// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugins/helpers/hints.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::plugins {

namespace action = framework::action;
using cluster::PodInfo;
using cluster::Resources;
using framework::EventResource;

namespace {

// What a node offers to a pod that is alone on it, resource by resource.
class EmptyNode {
 public:
  explicit EmptyNode(const api::Node& node) : allocatable_(node.allocatable) {}

  int64_t cpu_milli() const { return Amount("cpu", &api::Quantity::MilliValue); }
  int64_t Amount(std::string_view name, int64_t (api::Quantity::*value)() const = &api::Quantity::Value) const {
    const api::Quantity* amount = allocatable_.Find(name);
    return amount == nullptr ? 0 : (amount->*value)();
  }

 private:
  const api::ResourceList& allocatable_;
};

// Compares one pod's requests with nodes. Resources that devices provide are left to DynamicResources.
class NodeFit {
 public:
  NodeFit(const PodInfo& pod, const cluster::Cluster& cluster)
      : requests_(pod.pod_template->requests), cluster_(cluster) {}

  // Ignored resources count here, as upstream has it.
  bool Fits(const EmptyNode& node) const {
    const auto fits = [](int64_t wanted, int64_t offered) { return wanted <= 0 || wanted <= offered; };
    return node.Amount("pods") >= 1 && fits(requests_.cpu_milli, node.cpu_milli()) &&
           fits(requests_.memory_bytes, node.Amount("memory")) &&
           fits(requests_.ephemeral_bytes, node.Amount("ephemeral-storage")) &&
           std::ranges::all_of(requests_.scalars, [&](const auto& scalar) {
             return fits(scalar.second, node.Amount(scalar.first->text)) || IsLeftToDevices(scalar.first->text, node);
           });
  }

  // Whether the node offers more than before of something that the pod asks for.
  bool Grew(const EmptyNode& before, const EmptyNode& after) const {
    const auto grew = [&](std::string_view name) { return after.Amount(name) > before.Amount(name); };
    return grew("pods") || (requests_.cpu_milli > 0 && after.cpu_milli() > before.cpu_milli()) ||
           (requests_.memory_bytes > 0 && grew("memory")) ||
           (requests_.ephemeral_bytes > 0 && grew("ephemeral-storage")) ||
           std::ranges::any_of(requests_.scalars, [&](const auto& scalar) {
             return scalar.second != 0 && (grew(scalar.first->text) || IsLeftToDevices(scalar.first->text, after));
           });
  }

 private:
  bool IsLeftToDevices(const std::string& name, const EmptyNode& node) const {
    return node.Amount(name) <= 0 && cluster_.devices.extended_resources().ClassOf(name) != nullptr;
  }

  const Resources& requests_;
  const cluster::Cluster& cluster_;
};

// Whether a pod on a node now holds less of something that `wanted` asks for.
bool FreesSome(const Resources& wanted, const PodInfo& before, const PodInfo& after) {
  if (after.node_name.empty()) return false;
  const Resources& held = before.requests();
  const Resources& holds = after.requests();
  return (wanted.cpu_milli != 0 && held.cpu_milli > holds.cpu_milli) ||
         (wanted.memory_bytes != 0 && held.memory_bytes > holds.memory_bytes) ||
         (wanted.ephemeral_bytes != 0 && held.ephemeral_bytes > holds.ephemeral_bytes) ||
         std::ranges::any_of(wanted.scalars, [&](const auto& scalar) {
           return scalar.second != 0 && held.scalar(scalar.first->id) > holds.scalar(scalar.first->id);
         });
}

// Every class provides an extended resource with its own name behind a prefix, besides the one that it names.
bool Provides(const api::DeviceClass& device_class, std::string_view resource) {
  constexpr std::string_view kPrefix = cluster::kDeviceClassPrefix;
  return device_class.extended_resource_name == resource ||
         (resource.starts_with(kPrefix) && resource.substr(kPrefix.size()) == device_class.meta.name);
}

bool Requests(const PodInfo& pod, const api::DeviceClass& device_class) {
  return std::ranges::any_of(pod.pod_template->requests.scalars,
                             [&](const auto& scalar) { return Provides(device_class, scalar.first->text); });
}

bool ClassMayHelp(const PodInfo& pod, const api::DeviceClass* before, const api::DeviceClass& after) {
  if (before == nullptr) return Requests(pod, after);
  const auto& name = after.extended_resource_name;
  if (name.value_or("") == before->extended_resource_name.value_or("") || !name) return false;
  return std::ranges::any_of(pod.pod_template->requests.scalars,
                             [&](const auto& scalar) { return scalar.first->text == *name; });
}

}  // namespace

std::vector<framework::EventRegistration> NodeResourcesFit::EventsToRegister() const {
  std::vector<framework::EventRegistration> events = {
      {.event = {EventResource::kAssignedPod, action::kDelete}, .has_hint = true},
      {.event = {EventResource::kNode, action::kAdd | action::kUpdateNodeAllocatable}, .has_hint = true},
      {.event = {EventResource::kDeviceClass, action::kAdd | action::kUpdate}, .has_hint = true},
      {.event = {EventResource::kAssignedPod, action::kUpdatePodScaleDown}, .has_hint = true},
      {.event = {EventResource::kTargetPod, action::kUpdatePodScaleDown}, .has_hint = true},
  };
  if (resizes_) {
    events.push_back({.event = {EventResource::kAssignedPod, action::kUpdatePodScaleUp}, .has_hint = true});
    events.push_back({.event = {EventResource::kTargetPod, action::kUpdatePodScaleUp}, .has_hint = true});
  }
  return events;
}

Result<framework::QueueingHint> NodeResourcesFit::Hint(const PodInfo& pod, const framework::Change& change,
                                                       const cluster::Cluster& cluster) const {
  // What happens on other nodes is of no use to a pod that awaits a resize on its own.
  const auto is_elsewhere = [&](const std::string& node) { return pod.awaits_resize && node != pod.node_name; };
  if (const auto* after = change.after<api::Node>()) {
    if (is_elsewhere(after->meta.name)) return QueueIf(false);
    const auto* before = change.before<api::Node>();
    const NodeFit fit(pod, cluster);
    return QueueIf(fit.Fits(EmptyNode(*after)) &&
                   (before == nullptr || fit.Grew(EmptyNode(*before), EmptyNode(*after))));
  }
  if (const auto* after = change.after<api::DeviceClass>()) {
    return QueueIf(ClassMayHelp(pod, change.before<api::DeviceClass>(), *after));
  }
  // A pod that grows may need more room than there was, so others may have to give way.
  const bool grows = change.event.action == action::kUpdatePodScaleUp;
  if (change.event.resource == EventResource::kTargetPod) return QueueIf(!grows || pod.awaits_resize);
  const auto* before = change.before<PodInfo>();
  if (const auto* after = change.after<PodInfo>()) {
    if (is_elsewhere(after->node_name)) return QueueIf(false);
    return QueueIf(grows ? pod.awaits_resize : FreesSome(pod.requests(), *before, *after));
  }
  return QueueIf(TakesRoom(*before) && !is_elsewhere(before->node_name));
}

}  // namespace berth::plugins
