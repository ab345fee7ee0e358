// SPDX-License-Identifier: Apache-2.0

#include "cluster/image_index.h"

#include <algorithm>

namespace berth::cluster {

const ImageIndex::Image* ImageIndex::Find(std::string_view name) const {
  const auto it = images_.find(name);
  return it == images_.end() ? nullptr : it->second.get();
}

const std::vector<ImageIndex::ImagePtr>& ImageIndex::OfRow(NodeSlot slot) const {
  static const std::vector<ImagePtr> kNone;
  return slot.index < rows_.size() ? rows_[slot.index] : kNone;
}

void ImageIndex::Set(NodeSlot slot, const std::vector<api::ContainerImage>& images) {
  Forget(slot);
  const bool any = std::ranges::any_of(images, [](const api::ContainerImage& image) { return !image.names.empty(); });
  if (any && slot.index >= rows_.size()) rows_.resize(slot.index + 1);
  for (const api::ContainerImage& reported : images) {
    for (const std::string& name : reported.names) {
      std::shared_ptr<Image>& image = images_[name];
      if (image == nullptr) image = std::make_shared<Image>(Image{name, reported.size_bytes, {}});
      const auto it = std::ranges::lower_bound(image->nodes, slot);
      if (it != image->nodes.end() && *it == slot) continue;  // Reported twice.
      image->nodes.insert(it, slot);
      rows_[slot.index].push_back(image);
    }
  }
}

void ImageIndex::Remove(NodeSlot slot) {
  for (const ImagePtr& held : OfRow(slot)) {
    const auto entry = images_.find(held->name);
    if (entry == images_.end() || entry->second != held) continue;
    std::vector<NodeSlot>& nodes = entry->second->nodes;
    const auto it = std::ranges::lower_bound(nodes, slot);
    if (it != nodes.end() && *it == slot) nodes.erase(it);
    if (nodes.empty()) images_.erase(entry);
  }
}

void ImageIndex::Forget(NodeSlot slot) {
  Remove(slot);
  if (slot.index < rows_.size()) rows_[slot.index] = {};
  while (!rows_.empty() && rows_.back().empty()) rows_.pop_back();
}

}  // namespace berth::cluster
