// SPDX-License-Identifier: Apache-2.0

#include "cluster/image_index.h"

#include <algorithm>

namespace berth::cluster {

const ImageIndex::Image* ImageIndex::Find(std::string_view name) const {
  const auto it = images_.find(name);
  return it == images_.end() ? nullptr : &it->second;
}

void ImageIndex::Add(NodeSlot slot, const api::Node& node) {
  for (const api::ContainerImage& image : node.images) {
    for (const std::string& name : image.names) {
      Image& entry = images_.try_emplace(name, Image{.size_bytes = image.size_bytes, .nodes = {}}).first->second;
      const auto it = std::ranges::lower_bound(entry.nodes, slot);
      if (it == entry.nodes.end() || *it != slot) entry.nodes.insert(it, slot);
    }
  }
}

void ImageIndex::Remove(NodeSlot slot, const api::Node& node) {
  for (const api::ContainerImage& image : node.images) {
    for (const std::string& name : image.names) {
      const auto entry = images_.find(name);
      if (entry == images_.end()) continue;
      std::vector<NodeSlot>& nodes = entry->second.nodes;
      const auto it = std::ranges::lower_bound(nodes, slot);
      if (it != nodes.end() && *it == slot) nodes.erase(it);
      if (nodes.empty()) images_.erase(entry);
    }
  }
}

}  // namespace berth::cluster
