// SPDX-License-Identifier: Apache-2.0
// NodeOrder: the order in which nodes are looked at, round robin over zones.
//
// Zones come in the order in which they appeared, nodes within a zone likewise, as upstream's node tree has it. The
// zone is read from the region and zone labels; where a node has the old beta label, that one counts.
//
// Thread: core. Cost: a lookup per node that comes or goes.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/node.h"
#include "base/copy_on_write.h"
#include "base/result.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

class NodeOrder {
 public:
  void Add(const api::Node& node);
  // False if the node's zone does not hold it.
  bool Remove(const api::Node& node);
  void Update(const api::Node* old_node, const api::Node& new_node);

  // Nodes that were added and not removed.
  size_t node_count() const { return node_count_; }
  size_t zone_count() const { return zones_->size(); }
  // Names in order; an error if the zones hold fewer nodes than node_count().
  Result<std::vector<std::string>> List() const;

 private:
  class Zone {
   public:
    explicit Zone(std::string key) : key_(std::move(key)) {}
    const std::string& key() const { return key_; }
    size_t size() const { return places_.size(); }
    // False if it is there already.
    bool Add(const std::string& node);
    // False if it is not there.
    bool Remove(const std::string& node);
    // In order, with empty names where nodes have gone.
    const std::vector<std::string>& nodes() const { return nodes_; }

   private:
    void CloseGaps();

    std::string key_;
    std::vector<std::string> nodes_;
    StringMap<size_t> places_;
  };
  CopyOnWrite<std::vector<Zone>> zones_;
  size_t node_count_ = 0;
};

// Region and zone of a node as one key; empty when it has neither label.
std::string ZoneKey(const api::Labels& labels);

}  // namespace berth::cluster
