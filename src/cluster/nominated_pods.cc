// SPDX-License-Identifier: Apache-2.0

#include "cluster/nominated_pods.h"

#include <algorithm>

namespace berth::cluster {

void NominatedPods::Set(PodPtr pod, std::string_view node_name) {
  Remove(pod->uid);
  if (node_name.empty()) return;
  node_of_[pod->uid] = node_name;
  by_node_[std::string(node_name)].push_back(std::move(pod));
}

void NominatedPods::Remove(const std::string& uid) {
  const std::string* found = node_of_.Find(uid);
  if (found == nullptr) return;
  const std::string node = *found;
  node_of_.Erase(uid);
  std::vector<PodPtr>& pods = *by_node_.Edit(node);
  // `uid` may belong to the pod that is let go here, so it is not used afterwards.
  pods.erase(std::ranges::find(pods, uid, [](const PodPtr& pod) -> const std::string& { return pod->uid; }));
  if (pods.empty()) by_node_.Erase(node);
}

const std::vector<PodPtr>& NominatedPods::OnNode(std::string_view node_name) const {
  static const std::vector<PodPtr> kNone;
  const std::vector<PodPtr>* pods = by_node_.Find(node_name);
  return pods == nullptr ? kNone : *pods;
}

std::string_view NominatedPods::NodeOf(const std::string& uid) const {
  const std::string* node = node_of_.Find(uid);
  return node == nullptr ? std::string_view() : std::string_view(*node);
}

}  // namespace berth::cluster
