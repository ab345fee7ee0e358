// SPDX-License-Identifier: Apache-2.0
// Cluster events: what changed, in the terms in which plugins say what could make a pod schedulable.
//
// A change of an object becomes one or more events (a node update that touches labels and taints is two). A plugin
// registers the events that may help the pods it rejected; for each it may have a hint that looks at the pod and at the
// object before and after. Resources, actions, their numbers and the matching rule are upstream's.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "api/objects/object.h"
#include "base/result.h"
#include "cluster/cluster.h"

namespace berth::framework {

enum class EventResource : uint8_t {
  kPod,  // Any of the next three; only in registrations.
  kAssignedPod,
  kUnscheduledPod,
  kTargetPod,  // The pod that was rejected.
  kNode,
#define BERTH_RESOURCE(type, ...) k##type,
  BERTH_STORED_KINDS(BERTH_RESOURCE)  // Events are about those that have them.
#undef BERTH_RESOURCE
  kWildcard,
};

// What happened, as a set of bits. The numeric order matters: see Matches.
namespace action {
inline constexpr uint32_t kAdd = 1 << 0;
inline constexpr uint32_t kDelete = 1 << 1;
inline constexpr uint32_t kUpdateNodeAllocatable = 1 << 2;
inline constexpr uint32_t kUpdateNodeLabel = 1 << 3;
inline constexpr uint32_t kUpdateNodeTaint = 1 << 4;
inline constexpr uint32_t kUpdateNodeCondition = 1 << 5;
inline constexpr uint32_t kUpdateNodeAnnotation = 1 << 6;
inline constexpr uint32_t kUpdateNodeDeclaredFeature = 1 << 7;
inline constexpr uint32_t kUpdateNodePreemptionPolicy = 1 << 8;
inline constexpr uint32_t kUpdatePodLabel = 1 << 9;
inline constexpr uint32_t kUpdatePodScaleDown = 1 << 10;
inline constexpr uint32_t kUpdatePodScaleUp = 1 << 11;
inline constexpr uint32_t kUpdatePodToleration = 1 << 12;
inline constexpr uint32_t kUpdatePodSchedulingGatesEliminated = 1 << 13;
inline constexpr uint32_t kUpdatePodGeneratedResourceClaim = 1 << 14;
inline constexpr uint32_t kUpdate = (1 << 15) - (1 << 2);
inline constexpr uint32_t kAll = (1 << 15) - 1;
}  // namespace action

struct ClusterEvent {
  EventResource resource = EventResource::kWildcard;
  uint32_t action = action::kAll;

  bool operator==(const ClusterEvent&) const = default;
};

// "Node", "storage.k8s.io/CSINode", ..., "*"; "Add", "UpdateNodeLabel", "Update", ...
std::string_view ToString(EventResource resource);
std::string ActionToString(uint32_t action);

// Whether a plugin that registered `registered` wants to hear of `incoming`: the resource agrees, the actions
// intersect, and the incoming action, as a number, is not larger than the registered one.
bool Matches(const ClusterEvent& registered, const ClusterEvent& incoming);

// The resource of events about a kind; none for kinds that plugins cannot ask about.
template <class T>
constexpr std::optional<EventResource> ResourceOf() {
  if (!api::RowOf<T>().has_events) return std::nullopt;
#define BERTH_RESOURCE(type, ...) \
  if (std::is_same_v<T, api::type>) return EventResource::k##type;
  BERTH_STORED_KINDS(BERTH_RESOURCE)
#undef BERTH_RESOURCE
  return std::nullopt;
}

// An object before or after a change; empty where there is none.
#define BERTH_NEXT_OBJECT(type, ...) , std::shared_ptr<const api::type>
using EventObject = std::variant<std::monostate, cluster::PodPtr,
                                 std::shared_ptr<const api::Node> BERTH_STORED_KINDS(BERTH_NEXT_OBJECT)>;
#undef BERTH_NEXT_OBJECT

// An event with the object before and after it.
struct Change {
  ClusterEvent event;
  EventObject old_object;
  EventObject new_object;

  // The object before and after as a T; nullptr where there is none.
  template <class T>
  const T* before() const {
    return As<T>(old_object);
  }
  template <class T>
  const T* after() const {
    return As<T>(new_object);
  }

 private:
  template <class T>
  static const T* As(const EventObject& object) {
    const auto* pointer = std::get_if<std::shared_ptr<const T>>(&object);
    return pointer == nullptr ? nullptr : pointer->get();
  }
};

// What an update of a node means, in upstream's order; empty when nothing that matters changed.
std::vector<ClusterEvent> NodeUpdateEvents(const api::Node& old_node, const api::Node& new_node);
// What an update of a pod means; `resource` is kUnscheduledPod or kTargetPod, and of no account for a pod on a node.
std::vector<ClusterEvent> PodUpdateEvents(const cluster::PodInfo& old_pod, const cluster::PodInfo& new_pod,
                                          EventResource resource);

struct EventRegistration {
  ClusterEvent event;
  bool has_hint = false;  // False: every such event is worth a retry.
};

enum class QueueingHint : uint8_t { kSkip, kQueue };

// Implemented by plugins that can tell which changes may help the pods they rejected. A plugin that does not implement
// it wants to hear of everything.
class EnqueueExtensions {
 public:
  virtual ~EnqueueExtensions() = default;
  virtual std::vector<EventRegistration> EventsToRegister() const = 0;
  // Called for changes that match a registration with a hint. `pod` is the pod that waits. An error counts as kQueue,
  // which is also the answer of plugins that do not override this.
  virtual Result<QueueingHint> Hint(const cluster::PodInfo& pod, const Change& change,
                                    const cluster::Cluster& cluster) const;
};

}  // namespace berth::framework
