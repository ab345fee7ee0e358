// SPDX-License-Identifier: Apache-2.0
// QueuedGroup: the members of a root group that wait to be scheduled together or are being scheduled.
//
// Members are kept by their own group, which is the root or a leaf of its tree, in the order in which they are
// scheduled.

#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/pod_groups.h"

namespace berth::queue {

struct QueuedPod;

struct QueuedGroup {
  using Members = std::vector<std::unique_ptr<QueuedPod>>;

  explicit QueuedGroup(cluster::GroupKey key);
  QueuedGroup(const QueuedGroup& other);
  ~QueuedGroup();
  QueuedGroup& operator=(const QueuedGroup&) = delete;

  const cluster::GroupKey root;
  int32_t priority = 0;
  std::map<std::string, Members> members;  // By the name of the pod group; no entry is empty.
  std::set<std::string> attempted;         // Uids of those that took part in the last attempt.

  size_t size() const;
  // Puts the member in its place: by priority, then attempts, both descending, then time, then name.
  void Add(std::unique_ptr<QueuedPod> member);
  // The pod called "namespace/name", or nullptr.
  QueuedPod* Find(const cluster::PodInfo& pod) const;
  // Removes it; nullptr if it is not a member.
  std::unique_ptr<QueuedPod> Take(const cluster::PodInfo& pod);
  // Removes all of one pod group.
  Members TakeAll(std::string_view pod_group);

  // Calls `visit(QueuedPod&)` for every member.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [name, list] : members) {
      for (const std::unique_ptr<QueuedPod>& member : list) visit(*member);
    }
  }
};

// The group that a QueuedPod stands for, if it does. A copy has a group of its own.
class QueuedGroupPtr : public std::unique_ptr<QueuedGroup> {
 public:
  QueuedGroupPtr() = default;
  explicit QueuedGroupPtr(std::unique_ptr<QueuedGroup> group) : unique_ptr(std::move(group)) {}
  QueuedGroupPtr(const QueuedGroupPtr& other) : unique_ptr(other ? std::make_unique<QueuedGroup>(*other) : nullptr) {}
  QueuedGroupPtr& operator=(const QueuedGroupPtr&) = delete;
};

// Root groups are queued under "podgroup/namespace/name", composite ones too.
inline std::string EntityKey(const cluster::GroupKey& root) { return "podgroup/" + root.ns + "/" + root.name; }

// Members that are in no queue because they wait for their group: for its object, or for the end of its attempt.
class WaitingMembers {
 public:
  size_t size() const { return size_; }

  // Adds the member, in place of one with the same name.
  void Add(std::unique_ptr<QueuedPod> member);
  QueuedPod* Find(const cluster::PodInfo& pod) const;
  // nullptr if it is not here.
  std::unique_ptr<QueuedPod> Take(const cluster::PodInfo& pod);
  // All members of the group, in order of time and name.
  QueuedGroup::Members TakeAll(const cluster::GroupKey& group);

  // Calls `visit(const QueuedPod&)` for every member, in order of group and name.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [group, pods] : groups_) {
      for (const auto& [name, member] : pods) visit(*member);
    }
  }

 private:
  std::map<cluster::GroupKey, std::map<std::string, std::unique_ptr<QueuedPod>, std::less<>>> groups_;
  size_t size_ = 0;
};

}  // namespace berth::queue
