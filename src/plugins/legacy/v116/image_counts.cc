// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/image_counts.h"

#include <utility>

namespace berth::plugins::legacy::v116 {

const std::vector<size_t>& ImageCounts::Of(const cluster::ImageIndex::Image& image, const cluster::NodeTable& nodes) {
  if (by_image_.size() > kImagesMax) by_image_.clear();
  const auto [entry, is_first_look] = by_image_.try_emplace(*image.name);
  std::vector<Known> known;
  known.reserve(image.nodes.size());
  counts_.clear();
  auto last = entry->second.begin();
  for (const cluster::NodeSlot slot : image.nodes) {
    while (last != entry->second.end() && last->slot < slot) ++last;
    const std::shared_ptr<const api::Node>& node = nodes.node[slot.index];
    if (last != entry->second.end() && last->slot == slot && last->node.lock() == node) {
      known.push_back(std::move(*last));
    } else {
      known.push_back({slot, node, is_first_look ? counts_.size() + 1 : image.nodes.size()});
    }
    counts_.push_back(known.back().count);
  }
  entry->second = std::move(known);
  return counts_;
}

}  // namespace berth::plugins::legacy::v116
