// SPDX-License-Identifier: Apache-2.0

#include "cluster/image_index.h"

#include <algorithm>

namespace berth::cluster {

const ImageIndex::Image* ImageIndex::Find(std::string_view name) const { return images_.Find(name); }

const std::vector<ImageIndex::Held>& ImageIndex::OfRow(NodeSlot slot) const {
  static const std::vector<Held> kNone;
  return slot.index < rows_.size() ? rows_[slot.index] : kNone;
}

size_t ImageIndex::NodeCount(const Held& held) const {
  const Image* image = Find(*held.name);
  return image != nullptr && image->name == held.name ? image->nodes.size() : 0;
}

void ImageIndex::Set(NodeSlot slot, const std::vector<api::ContainerImage>& images) {
  Forget(slot);
  const bool any = std::ranges::any_of(images, [](const api::ContainerImage& image) { return !image.names.empty(); });
  if (any && slot.index >= rows_.size()) rows_.Resize(slot.index + 1);
  for (const api::ContainerImage& reported : images) {
    for (const std::string& name : reported.names) {
      Image& image = images_[name];
      if (image.name == nullptr) image = {std::make_shared<const std::string>(name), reported.size_bytes, {}};
      const auto it = std::ranges::lower_bound(image.nodes, slot);
      if (it != image.nodes.end() && *it == slot) continue;  // Reported twice.
      image.nodes.insert(it, slot);
      rows_.Edit(slot.index).push_back({image.name, image.size_bytes});
    }
  }
}

void ImageIndex::Remove(NodeSlot slot) {
  if (slot.index >= rows_.size()) return;
  for (const auto& [name, size] : rows_[slot.index]) {
    const Image* image = images_.Find(*name);
    if (image == nullptr || !std::ranges::binary_search(image->nodes, slot)) continue;
    std::vector<NodeSlot>& nodes = images_.Edit(*name)->nodes;
    nodes.erase(std::ranges::lower_bound(nodes, slot));
    if (nodes.empty()) images_.Erase(*name);
  }
}

void ImageIndex::Forget(NodeSlot slot) {
  Remove(slot);
  if (slot.index < rows_.size()) rows_.Clear(slot.index);
  size_t size = rows_.size();
  while (size > 0 && rows_[size - 1].empty()) --size;
  rows_.Resize(size);
}

}  // namespace berth::cluster
