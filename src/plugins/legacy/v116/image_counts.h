// SPDX-License-Identifier: Apache-2.0
// ImageCounts: how many nodes have an image, as v1.16 knows it for each of them.
//
// v1.16 counts the nodes that have the image when a node is added or updated, keeps the number for that node, and does
// not look again until the node's next update. So of the nodes that a scheduler finds when it starts, each knows
// of those before it; after a round of heartbeats all know of all.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/image_index.h"
#include "cluster/node_table.h"
#include "cluster/tables/string_map.h"

namespace berth::plugins::legacy::v116 {

class ImageCounts {
 public:
  // One number per entry of image.nodes. Valid until the next call.
  const std::vector<size_t>& Of(const cluster::ImageIndex::Image& image, const cluster::NodeTable& nodes);

 private:
  // What is known for one node since it had this object.
  struct Known {
    cluster::NodeSlot slot;
    std::weak_ptr<const api::Node> node;
    size_t count = 0;
  };
  static constexpr size_t kImagesMax = 1024;  // More are forgotten and begin anew.

  cluster::StringMap<std::vector<Known>> by_image_;  // One per entry of image.nodes at the last look.
  std::vector<size_t> counts_;
};

}  // namespace berth::plugins::legacy::v116
