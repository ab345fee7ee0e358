// SPDX-License-Identifier: Apache-2.0
#include "cluster/coscheduled_pods.h"

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
  const std::string key = KeyOf(pod);
  Group* found = groups_.Edit(key);
  if (found == nullptr) return;
  edit(*found);
  if (found->pods.empty() && found->assigned.empty()) groups_.Erase(key);
}

const CoscheduledPods::Group* CoscheduledPods::Find(const PodInfo& pod) const { return groups_.Find(KeyOf(pod)); }

CoscheduledPods::Group* CoscheduledPods::Find(const PodInfo& pod) { return groups_.Edit(KeyOf(pod)); }

}  // namespace berth::cluster
