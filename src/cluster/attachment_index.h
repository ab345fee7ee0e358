// SPDX-License-Identifier: Apache-2.0
// AttachmentIndex: the VolumeAttachment objects of each node.
//
// Follows what is stored. A node is forgotten with its last attachment.
//
// Thread: core. Cost: one lookup per attachment that comes or goes.

#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/tables/object_store.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

class AttachmentIndex {
 public:
  using Ptr = std::shared_ptr<const api::VolumeAttachment>;

  // Follows what is stored in `objects` from now on.
  explicit AttachmentIndex(Objects& objects) { Follow(objects); }
  // The same for a copy of the cluster, which begins with the attachments of `other`.
  AttachmentIndex(Objects& objects, const AttachmentIndex& other) : by_node_(other.by_node_) { Follow(objects); }
  AttachmentIndex(const AttachmentIndex&) = delete;
  AttachmentIndex& operator=(const AttachmentIndex&) = delete;

  // In no particular order. Valid until the next change.
  std::span<const Ptr> On(std::string_view node) const;
  size_t node_count() const { return by_node_.size(); }

 private:
  void Follow(Objects& objects);
  void Remove(const Ptr& attachment);

  ShardedMap<StringMap<std::vector<Ptr>>> by_node_;
};

}  // namespace berth::cluster
