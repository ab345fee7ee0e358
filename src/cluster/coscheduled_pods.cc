// SPDX-License-Identifier: Apache-2.0
#include "cluster/coscheduled_pods.h"

#include <utility>

namespace berth::cluster {

std::string CoscheduledPods::KeyOf(const PodInfo& pod) {
  const std::string_view name = NameOf(pod);
  if (name.empty()) return {};
  std::string key = pod.ns();
  key += '/';
  key += name;
  return key;
}

void CoscheduledPods::Put(const PodInfo* old_pod, const PodPtr& pod) {
  if (old_pod != nullptr && NameOf(*old_pod) != NameOf(*pod)) Remove(*old_pod);
  const std::string key = KeyOf(*pod);
  if (!key.empty()) groups_[key].pods.insert_or_assign(pod->uid, pod);
}

void CoscheduledPods::Remove(const PodInfo& pod) {
  Change(pod, [&](Group& group) { group.pods.erase(pod.uid); });
}

void CoscheduledPods::Assign(const PodInfo& pod) {
  const std::string key = KeyOf(pod);
  if (!key.empty()) groups_[key].assigned.insert(pod.uid);
}

void CoscheduledPods::Unassign(const PodInfo& pod) {
  Change(pod, [&](Group& group) { group.assigned.erase(pod.uid); });
}

template <class Edit>
void CoscheduledPods::Change(const PodInfo& pod, Edit edit) {
  const auto found = groups_.find(KeyOf(pod));
  if (found == groups_.end()) return;
  edit(found->second);
  if (found->second.pods.empty() && found->second.assigned.empty()) groups_.erase(found);
}

const CoscheduledPods::Group* CoscheduledPods::Find(const PodInfo& pod) const {
  const auto found = groups_.find(KeyOf(pod));
  return found == groups_.end() ? nullptr : &found->second;
}

CoscheduledPods::Group* CoscheduledPods::Find(const PodInfo& pod) {
  return const_cast<Group*>(std::as_const(*this).Find(pod));
}

}  // namespace berth::cluster
