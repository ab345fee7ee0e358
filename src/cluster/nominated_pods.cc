// SPDX-License-Identifier: Apache-2.0

#include "cluster/nominated_pods.h"

#include <algorithm>

namespace berth::cluster {

void NominatedPods::Set(PodPtr pod, std::string_view node_name) {
  Remove(pod->uid);
  if (node_name.empty()) return;
  node_of_.emplace(pod->uid, node_name);
  by_node_[std::string(node_name)].push_back(std::move(pod));
}

void NominatedPods::Remove(const std::string& uid) {
  const auto node = node_of_.find(uid);
  if (node == node_of_.end()) return;
  const auto pods = by_node_.find(node->second);
  node_of_.erase(node);
  // `uid` may belong to the pod that is let go here, so it is not used afterwards.
  pods->second.erase(
      std::ranges::find(pods->second, uid, [](const PodPtr& pod) -> const std::string& { return pod->uid; }));
  if (pods->second.empty()) by_node_.erase(pods);
}

const std::vector<PodPtr>& NominatedPods::OnNode(std::string_view node_name) const {
  static const std::vector<PodPtr> kNone;
  const auto it = by_node_.find(node_name);
  return it == by_node_.end() ? kNone : it->second;
}

std::string_view NominatedPods::NodeOf(const std::string& uid) const {
  const auto it = node_of_.find(uid);
  return it == node_of_.end() ? std::string_view() : std::string_view(it->second);
}

}  // namespace berth::cluster
