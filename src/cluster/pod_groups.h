// SPDX-License-Identifier: Apache-2.0
// PodGroups: the groups of pods that are scheduled together, with the pods that are known of each.
//
// A group is known as soon as its object or one of its pods is. Groups form trees: a CompositePodGroup has groups as
// children, which may be known before their parent. The root of a tree is what is queued and scheduled. Without the
// gates there are no groups: nothing is kept, and every question is answered as if no pod had one.
//
// Thread: core. Cost: O(log n) per pod, n pods of its group.

#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/copy_on_write.h"
#include "cluster/pod_info.h"
#include "cluster/tables/chunked_map.h"
#include "cluster/tables/object_store.h"

namespace berth::cluster {

struct PodGroupOptions {
  bool enabled = false;    // Gate GenericWorkload.
  bool composite = false;  // Gate CompositePodGroup.
};

// How a group is known.
struct GroupKey {
  bool is_composite = false;
  std::string ns;
  std::string name;

  auto operator<=>(const GroupKey&) const = default;
  // "podgroup", "compositepodgroup".
  std::string_view type() const { return is_composite ? "compositepodgroup" : "podgroup"; }
  // "podgroup/ns/name".
  std::string ToString() const { return std::string(type()) + "/" + ns + "/" + name; }
};

struct PodGroupState {
  std::shared_ptr<const api::PodGroup> object;  // Null: only pods are known.
  std::map<std::string, PodPtr> pods;           // All that are known, by uid.
  std::map<std::string, PodPtr> assumed;        // With their nodes.
  std::set<std::string> assigned;               // Uids of those that were reported on a node.
  std::set<std::string> unscheduled;            // Uids of the others.

  size_t scheduled_count() const { return assumed.size() + assigned.size(); }
  // Assigned and assumed ones, with their nodes.
  std::vector<PodPtr> ScheduledPods() const;
};

struct CompositePodGroupState {
  std::shared_ptr<const api::CompositePodGroup> object;  // Null: only children are known.
  std::set<GroupKey> children;
};

class PodGroups {
 public:
  // A chain of parents is followed no further than this.
  static constexpr size_t kDepthMax = 4;

  // Follows what is stored in `objects` from now on.
  PodGroups(Objects& objects, PodGroupOptions options);
  // The same for a copy of the cluster, whose groups begin as those of `other`.
  PodGroups(Objects& objects, const PodGroups& other);
  PodGroups(const PodGroups&) = delete;
  PodGroups& operator=(const PodGroups&) = delete;

  bool enabled() const { return options_.enabled; }
  bool composite() const { return options_.composite; }
  size_t size() const { return groups_.size() + composites_.size(); }

  bool IsMember(const PodInfo& pod) const { return options_.enabled && !pod.spec().scheduling_group.empty(); }
  // REQUIRES: the pod is a member.
  static GroupKey KeyOf(const PodInfo& pod) { return {false, pod.ns(), pod.spec().scheduling_group}; }

  // Each does nothing for a pod without a group.
  void Add(const PodPtr& pod);  // On a node or pending.
  void Update(const PodInfo& old_pod, const PodPtr& pod);
  void Remove(const PodInfo& pod);
  void Assume(const PodPtr& pod);
  void Forget(const PodInfo& pod);

  // What is known of a group, to be put back; nothing: nothing is known.
  using Saved = std::optional<CopyOnWrite<PodGroupState>>;
  Saved Save(const GroupKey& key) const;
  void Restore(const GroupKey& key, Saved state);

  // nullptr if nothing is known of the group. Valid until the next change. REQUIRES: not a composite one.
  const PodGroupState* Find(const GroupKey& key) const;
  // The same for a composite group.
  const CompositePodGroupState* FindComposite(const GroupKey& key) const;
  // What the object says; nullptr if it is not known.
  const api::GroupSpec* SpecOf(const GroupKey& key) const;
  const api::ObjectMeta* MetaOf(const GroupKey& key) const;
  // The parent that the object names, known or not; nothing if it has none.
  std::optional<GroupKey> ParentOf(const GroupKey& key) const;
  std::optional<GroupKey> ParentOf(const std::string& ns, const api::GroupSpec& spec) const;

  // The root of the group's tree; nothing if an object on the way up is missing or the parents form a circle.
  std::optional<GroupKey> RootOf(GroupKey key) const;
  // Calls `visit(key, state)` for the groups of pods below a group, or for the group itself, in order of their keys.
  template <class Visit>
  void ForEachLeaf(const GroupKey& key, Visit visit) const {
    std::set<GroupKey> visited;
    VisitLeaves(key, visit, visited);
  }

  // The priority that counts when the pod may be evicted: that of the highest group above it that is known, or its own.
  int32_t PriorityOf(const PodInfo& pod) const;
  // The highest group above the pod whose pods are evicted together; nothing if there is none.
  std::optional<GroupKey> DisruptedWith(const PodInfo& pod) const;

 private:
  template <class Visit>
  void VisitLeaves(const GroupKey& key, Visit& visit, std::set<GroupKey>& visited) const {
    if (!visited.insert(key).second) return;
    if (!key.is_composite) {
      if (const PodGroupState* state = Find(key)) visit(key, *state);
    } else if (const CompositePodGroupState* state = FindComposite(key)) {
      for (const GroupKey& child : state->children) VisitLeaves(child, visit, visited);
    }
  }
  // Calls `visit(key, spec)` for the pod's group and those above it, as far as they are known.
  template <class Visit>
  void VisitUp(const PodInfo& pod, Visit visit) const;

  void Follow(Objects& objects);
  void ObjectChanged(const std::shared_ptr<const api::PodGroup>& before,
                     const std::shared_ptr<const api::PodGroup>& after);
  void ObjectChanged(const std::shared_ptr<const api::CompositePodGroup>& before,
                     const std::shared_ptr<const api::CompositePodGroup>& after);
  void Link(const GroupKey& child, const std::optional<GroupKey>& parent);
  void Unlink(const GroupKey& child, const std::optional<GroupKey>& parent);
  void FreeIfUnused(const GroupKey& key);

  PodGroupOptions options_;
  ChunkedMap<GroupKey, CopyOnWrite<PodGroupState>> groups_;
  ChunkedMap<GroupKey, CompositePodGroupState> composites_;
};

}  // namespace berth::cluster
