// SPDX-License-Identifier: Apache-2.0
#include "queue/nominator.h"

#include <string>

namespace berth::queue {

void Nominator::Set(const cluster::PodPtr& pod, std::optional<std::string_view> node) {
  const std::string_view name = node.value_or(pod->nominated_node_name);
  const cluster::PodPtr known = name.empty() ? nullptr : store_.Find(pod->full_name());
  const bool is_pending = known != nullptr && known->node_name.empty();
  nominated_.Set(pod, is_pending ? name : std::string_view());
}

void Nominator::Update(const cluster::PodInfo& old_pod, const cluster::PodPtr& pod) {
  std::optional<std::string> kept;
  if (old_pod.nominated_node_name.empty() && pod->nominated_node_name.empty()) {
    if (const std::string_view node = nominated_.NodeOf(old_pod.uid); !node.empty()) kept = node;
  }
  nominated_.Remove(old_pod.uid);
  Set(pod, kept);
}

}  // namespace berth::queue
