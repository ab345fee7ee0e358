// SPDX-License-Identifier: Apache-2.0
#include "cluster/attachment_index.h"

namespace berth::cluster {

std::span<const AttachmentIndex::Ptr> AttachmentIndex::On(std::string_view node) const {
  const std::vector<Ptr>* found = by_node_.Find(node);
  return found == nullptr ? std::span<const Ptr>() : std::span<const Ptr>(*found);
}

void AttachmentIndex::Follow(Objects& objects) {
  objects.volume_attachments.set_listener([this](const Ptr& before, const Ptr& after) {
    if (before != nullptr) Remove(before);
    if (after != nullptr) by_node_[after->node_name].push_back(after);
  });
}

void AttachmentIndex::Remove(const Ptr& attachment) {
  std::vector<Ptr>* on_node = by_node_.Edit(attachment->node_name);
  if (on_node == nullptr) return;
  std::erase(*on_node, attachment);
  if (on_node->empty()) by_node_.Erase(attachment->node_name);
}

}  // namespace berth::cluster
