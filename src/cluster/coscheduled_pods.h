// SPDX-License-Identifier: Apache-2.0
// CoscheduledPods: the pods that a label puts into groups (see api::CoscheduledGroup), and what became of the groups.
//
// A group is known as long as one of its pods is, whether its object is there or not.
//
// Thread: core. Cost: pods without the label cost a look at their labels.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/time.h"
#include "cluster/pod_info.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

class CoscheduledPods {
 public:
  static constexpr std::string_view kLabel = "scheduling.x-k8s.io/pod-group";

  struct Group {
    std::map<std::string, PodPtr, std::less<>> pods;  // On nodes or pending, by uid.
    std::set<std::string, std::less<>> assigned;      // Uids of those that are on a node or assumed there.
    // For the plugin Coscheduling.
    std::optional<Time> failed_at;  // When it was last given up, unless it has started since.
    Time backs_off_until;
    Time fits_until;  // Until then it is not asked again whether there is room for the group.
  };

  // The name of the pod's group, in the pod's namespace; empty: it has none.
  static std::string_view NameOf(const PodInfo& pod) { return pod.labels().Get(kLabel); }

  // A pod is new or has changed; `old_pod` is nullptr if it is new.
  void Put(const PodInfo* old_pod, const PodPtr& pod);
  void Remove(const PodInfo& pod);
  // It has come to a node, assumed or not; it has left it.
  void Assign(const PodInfo& pod);
  void Unassign(const PodInfo& pod);

  // The pod's group; nullptr if it has none. Valid until the next change.
  const Group* Find(const PodInfo& pod) const;
  Group* Find(const PodInfo& pod);
  size_t size() const { return groups_.size(); }

 private:
  static std::string KeyOf(const PodInfo& pod);
  // Calls `edit(group)` for the pod's group, if there is one, and frees it if nothing is left.
  template <class Edit>
  void Change(const PodInfo& pod, Edit edit);

  ShardedMap<StringMap<Group>> groups_;  // By "namespace/name".
};

}  // namespace berth::cluster
