// SPDX-License-Identifier: Apache-2.0
// ImageIndex: which nodes hold which container image.
//
// An image's size is the one given by the node that reported it first, as upstream has it. Names are kept once, however
// many nodes report them.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/node.h"
#include "cluster/tables/copy_on_write_rows.h"
#include "cluster/tables/ids.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

class ImageIndex {
 public:
  struct Image {
    std::shared_ptr<const std::string> name;  // Another one once all its nodes had gone.
    int64_t size_bytes = 0;
    std::vector<NodeSlot> nodes;  // Sorted.
  };

  // An image as a node has it: what Image said when the node reported it.
  struct Held {
    std::shared_ptr<const std::string> name;
    int64_t size_bytes = 0;
  };

  // The image under one of its names, or nullptr. Valid until the next change.
  const Image* Find(std::string_view name) const;
  // What the row's node reported last, be it removed since.
  const std::vector<Held>& OfRow(NodeSlot slot) const;
  // On how many nodes it is; 0 if all have gone since, whoever has an image of this name now.
  size_t NodeCount(const Held& held) const;
  // Sets what the row holds, in place of what it held.
  void Set(NodeSlot slot, const std::vector<api::ContainerImage>& images);
  // Takes the node off its images. The row still lists them.
  void Remove(NodeSlot slot);
  // Empties a row that is freed.
  void Forget(NodeSlot slot);

  // Names that some node reports.
  size_t size() const { return images_.size(); }
  size_t slot_limit() const { return rows_.size(); }

 private:
  ShardedMap<StringMap<Image>> images_;
  CopyOnWriteRows<std::vector<Held>> rows_;  // See OfRow. The last one is not empty.
};

}  // namespace berth::cluster
