// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/image_counts.h"

namespace berth::plugins::legacy::v116 {

const std::vector<size_t>& ImageCounts::Of(const cluster::ImageIndex::Image& image, const cluster::NodeTable& nodes) {
  if (by_image_.size() > kImagesMax) by_image_.clear();
  const auto [entry, is_first_look] = by_image_.try_emplace(image.name);
  std::vector<Known>& known = entry->second;
  known.resize(nodes.slot_limit());
  counts_.clear();
  for (const cluster::NodeSlot slot : image.nodes) {
    const std::shared_ptr<const api::Node>& node = nodes.node[slot.index];
    if (known[slot.index].node.lock() != node) {
      known[slot.index] = {node, is_first_look ? counts_.size() + 1 : image.nodes.size()};
    }
    counts_.push_back(known[slot.index].count);
  }
  return counts_;
}

}  // namespace berth::plugins::legacy::v116
