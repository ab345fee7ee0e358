// SPDX-License-Identifier: Apache-2.0
// ImageIndex: which nodes hold which container image.
//
// An image's size is the one given by the node that reported it first, as upstream has it.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/node.h"
#include "cluster/ids.h"
#include "cluster/string_map.h"

namespace berth::cluster {

class ImageIndex {
 public:
  struct Image {
    int64_t size_bytes = 0;
    std::vector<NodeSlot> nodes;  // Sorted.
  };

  // The image under one of its names, or nullptr.
  const Image* Find(std::string_view name) const;

  void Add(NodeSlot slot, const api::Node& node);
  void Remove(NodeSlot slot, const api::Node& node);

 private:
  StringMap<Image> images_;
};

}  // namespace berth::cluster
