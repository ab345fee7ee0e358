// SPDX-License-Identifier: Apache-2.0
// Handlers of nodes and of the objects that only plugins read. Those of pods are in pod_handlers.cc.

#include "scheduler/event_handlers.h"

#include <charconv>
#include <optional>
#include <type_traits>
#include <utility>

namespace berth::scheduler {
namespace {

namespace action = framework::action;
using framework::EventResource;

std::optional<int64_t> VersionOf(const api::ObjectMeta& meta) {
  int64_t version = 0;
  const char* end = meta.resource_version.data() + meta.resource_version.size();
  const auto [rest, error] = std::from_chars(meta.resource_version.data(), end, version);
  return error == std::errc() && rest == end ? std::optional(version) : std::nullopt;
}

// Claims are kept together with assumed allocations; only a newer version replaces what is known.
bool IsNewer(const api::ObjectMeta& meta, const api::ObjectMeta& known) {
  const std::optional<int64_t> version = VersionOf(meta);
  const std::optional<int64_t> known_version = VersionOf(known);
  return version && known_version && *version > *known_version;
}

template <class T>
cluster::ObjectStore<T>& StoreOf(cluster::Objects& objects) {
  cluster::ObjectStore<T>* found = nullptr;
  objects.ForEachStore([&]<class U>(std::string_view, cluster::ObjectStore<U>& store) {
    if constexpr (std::is_same_v<T, U>) found = &store;
  });
  return *found;
}

template <class T>
constexpr bool kIsGroup = std::is_same_v<T, api::PodGroup> || std::is_same_v<T, api::CompositePodGroup>;

// Without its gate a kind of group is ignored.
template <class T>
bool IsIgnored(const cluster::PodGroups& groups) {
  if constexpr (std::is_same_v<T, api::PodGroup>) return !groups.enabled();
  if constexpr (std::is_same_v<T, api::CompositePodGroup>) return !groups.composite();
  return false;
}

template <class T>
cluster::GroupKey GroupKeyOf(const T& group) {
  return {std::is_same_v<T, api::CompositePodGroup>, group.meta.ns, group.meta.name};
}

// The node with this name as the cluster has it, or nullptr.
std::shared_ptr<const api::Node> FindNode(const cluster::Cluster& cluster, std::string_view name) {
  cluster::NodeSlot slot;
  if (!cluster.nodes().Find(name, slot) || !cluster.nodes().has_node[slot.index]) return nullptr;
  return cluster.nodes().node[slot.index];
}

}  // namespace

void EventHandlers::Put(api::Object object, Time now) {
  std::visit(
      [&]<class T>(T& value) {
        if constexpr (std::is_same_v<T, api::Pod>) {
          PutPod(std::move(value), now);
        } else if constexpr (std::is_same_v<T, api::Node>) {
          PutNode(std::move(value), now);
        } else {
          PutOther(std::move(value), now);
        }
      },
      object);
}

template <class T>
void EventHandlers::PutOther(T object, Time now) {
  cluster::ObjectStore<T>& store = StoreOf<T>(cluster_.objects);
  const std::string ns = object.meta.ns;
  const std::string name = object.meta.name;
  const std::shared_ptr<const T> old = store.Get(ns, name);
  if constexpr (std::is_same_v<T, api::ResourceClaim>) {
    if (old && !IsNewer(object.meta, old->meta)) return;
  }
  if (IsIgnored<T>(cluster_.groups)) return;
  if constexpr (kIsGroup<T>) {
    if (old && old->meta.resource_version == object.meta.resource_version) return;
  }
  store.Put(std::move(object));
  if constexpr (kIsGroup<T>) {
    const cluster::GroupKey key = GroupKeyOf(*store.Get(ns, name));
    old ? queue_.GroupUpdated(key) : queue_.GroupAdded(key, now);
  }
  if constexpr (std::is_same_v<T, api::DeviceTaintRule>) SlicesTainted(now);
  if constexpr (framework::ResourceOf<T>()) {
    framework::Change change{
        {*framework::ResourceOf<T>(), old ? action::kUpdate : action::kAdd}, {}, store.Get(ns, name)};
    const Watch watch(observer_, change.event);
    if (old) change.old_object = old;
    queue_.Move(change, now);
  }
}

void EventHandlers::Remove(std::string_view kind, std::string_view ns, std::string_view name, bool final_state_unknown,
                           Time now) {
  if (kind == "Pod") {
    const cluster::PodPtr pod = store_.Find(std::string(ns) + "/" + std::string(name));
    if (pod) PodDeleted(pod, final_state_unknown, now);
    return;
  }
  if (kind == "Node") {
    if (const auto node = FindNode(cluster_, name)) NodeDeleted(node, now);
    return;
  }
  cluster_.objects.ForEachStore([&]<class T>(std::string_view store_kind, cluster::ObjectStore<T>& store) {
    if (store_kind != kind) return;
    const std::shared_ptr<const T> old = store.Erase(ns, name);
    if constexpr (std::is_same_v<T, api::DeviceTaintRule>) {
      if (old) SlicesTainted(now);
    }
    if constexpr (kIsGroup<T>) {
      if (old) queue_.GroupRemoved(GroupKeyOf(*old), cluster_.groups.ParentOf(old->meta.ns, old->spec), now);
    }
    if constexpr (framework::ResourceOf<T>()) {
      const framework::ClusterEvent event{*framework::ResourceOf<T>(), action::kDelete};
      const Watch watch(old ? observer_ : nullptr, event);
      if (old) queue_.Move({event, old, {}}, now);
    }
  });
}

void EventHandlers::SlicesTainted(Time now) {
  for (const auto& [before, after] : cluster_.devices.pools().changed_by_rule()) {
    const framework::Change change{{EventResource::kResourceSlice, action::kUpdate}, before, after};
    const Watch watch(observer_, change.event);
    queue_.Move(change, now);
  }
}

void EventHandlers::PutNode(api::Node node, Time now) {
  const std::shared_ptr<const api::Node> old_node = FindNode(cluster_, node.meta.name);
  if (!old_node) return NodeAdded(std::move(node), now);
  NodeUpdated(old_node, std::move(node), now);
}

void EventHandlers::NodeAdded(api::Node node, Time now) {
  const Watch watch(observer_, {EventResource::kNode, action::kAdd}, node);
  const std::string name = node.meta.name;
  cluster_.AddNode(std::move(node));
  queue_.Move({{EventResource::kNode, action::kAdd}, {}, FindNode(cluster_, name)}, now);
}

void EventHandlers::NodeUpdated(const std::shared_ptr<const api::Node>& old_node, api::Node node, Time now) {
  const std::string name = node.meta.name;
  if (observer_ != nullptr) observer_->NodeChanged({EventResource::kNode, action::kUpdate}, name);
  cluster_.UpdateNode(old_node.get(), std::move(node));
  const std::shared_ptr<const api::Node> new_node = FindNode(cluster_, name);
  for (const framework::ClusterEvent& event : framework::NodeUpdateEvents(*old_node, *new_node)) {
    const Watch watch(observer_, event);
    queue_.Move({event, old_node, new_node}, now);
  }
}

void EventHandlers::NodeDeleted(const std::shared_ptr<const api::Node>& node, Time now) {
  const Watch watch(observer_, {EventResource::kNode, action::kDelete}, *node);
  queue_.Move({{EventResource::kNode, action::kDelete}, node, {}}, now);
  (void)cluster_.RemoveNode(*node);  // A node that the cluster does not have needs no removing.
}

}  // namespace berth::scheduler
