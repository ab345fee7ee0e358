// SPDX-License-Identifier: Apache-2.0
#include "queue/queued_group.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "queue/queued_pod.h"

namespace berth::queue {
namespace {

bool IsScheduledBefore(const QueuedPod& a, const QueuedPod& b) {
  return std::tuple(-int64_t{a.pod->priority()}, -a.attempts, a.timestamp, std::string_view(a.pod->name)) <
         std::tuple(-int64_t{b.pod->priority()}, -b.attempts, b.timestamp, std::string_view(b.pod->name));
}

}  // namespace

QueuedGroup::QueuedGroup(cluster::GroupKey key) : root(std::move(key)) {}

QueuedGroup::QueuedGroup(const QueuedGroup& other)
    : root(other.root), priority(other.priority), attempted(other.attempted) {
  for (const auto& [name, list] : other.members) {
    Members& copies = members[name];
    for (const auto& member : list) copies.push_back(std::make_unique<QueuedPod>(*member));
  }
}

QueuedGroup::~QueuedGroup() = default;

size_t QueuedGroup::size() const {
  size_t size = 0;
  for (const auto& [name, list] : members) size += list.size();
  return size;
}

void QueuedGroup::Add(std::unique_ptr<QueuedPod> member) {
  Members& list = members[member->pod->spec().scheduling_group];
  const auto place = std::ranges::lower_bound(list, *member, IsScheduledBefore,
                                              [](const auto& other) -> const QueuedPod& { return *other; });
  list.insert(place, std::move(member));
}

QueuedPod* QueuedGroup::Find(const cluster::PodInfo& pod) const {
  const auto list = members.find(pod.spec().scheduling_group);
  if (list == members.end()) return nullptr;
  const auto found =
      std::ranges::find_if(list->second, [&](const auto& member) { return member->pod->name == pod.name; });
  return found == list->second.end() ? nullptr : found->get();
}

std::unique_ptr<QueuedPod> QueuedGroup::Take(const cluster::PodInfo& pod) {
  const auto list = members.find(pod.spec().scheduling_group);
  if (list == members.end()) return nullptr;
  const auto found =
      std::ranges::find_if(list->second, [&](const auto& member) { return member->pod->name == pod.name; });
  if (found == list->second.end()) return nullptr;
  std::unique_ptr<QueuedPod> member = std::move(*found);
  list->second.erase(found);
  if (list->second.empty()) members.erase(list);
  return member;
}

QueuedGroup::Members QueuedGroup::TakeAll(std::string_view pod_group) {
  const auto list = members.find(std::string(pod_group));
  if (list == members.end()) return {};
  Members taken = std::move(list->second);
  members.erase(list);
  return taken;
}

void WaitingMembers::Add(std::unique_ptr<QueuedPod> member) {
  std::unique_ptr<QueuedPod>& entry = groups_[cluster::PodGroups::KeyOf(*member->pod)][member->pod->name];
  if (entry == nullptr) ++size_;
  entry = std::move(member);
}

QueuedPod* WaitingMembers::Find(const cluster::PodInfo& pod) const {
  const auto group = groups_.find(cluster::PodGroups::KeyOf(pod));
  if (group == groups_.end()) return nullptr;
  const auto found = group->second.find(pod.name);
  return found == group->second.end() ? nullptr : found->second.get();
}

std::unique_ptr<QueuedPod> WaitingMembers::Take(const cluster::PodInfo& pod) {
  const auto group = groups_.find(cluster::PodGroups::KeyOf(pod));
  if (group == groups_.end()) return nullptr;
  const auto found = group->second.find(pod.name);
  if (found == group->second.end()) return nullptr;
  std::unique_ptr<QueuedPod> member = std::move(found->second);
  group->second.erase(found);
  if (group->second.empty()) groups_.erase(group);
  --size_;
  return member;
}

QueuedGroup::Members WaitingMembers::TakeAll(const cluster::GroupKey& group) {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return {};
  QueuedGroup::Members taken;
  for (auto& [name, member] : found->second) taken.push_back(std::move(member));
  size_ -= taken.size();
  groups_.erase(found);
  std::ranges::stable_sort(taken, {}, [](const auto& member) { return member->timestamp; });
  return taken;
}

}  // namespace berth::queue
