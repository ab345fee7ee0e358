// SPDX-License-Identifier: Apache-2.0
// NodeMemo: an answer about the labels and the name of nodes, worked out once per distinct label set.
//
// Answers are computed when first asked for, so looking at one node costs one answer. A question that also depends on
// the node's name or on its hostname label, which label sets leave out, is answered once per node instead.
//
// Thread: core. Valid as long as the node table's labels do not change: for one cycle.

#pragma once

#include <optional>
#include <vector>

#include "cluster/node_table.h"

namespace berth::plugins {

template <class Answer>
class NodeMemo {
 public:
  NodeMemo(const cluster::NodeTable& nodes, bool per_node)
      : nodes_(nodes), per_node_(per_node), answers_(per_node ? nodes.slot_limit() : nodes.label_sets().id_limit()) {}

  // The answer for the node in `slot`: that of `compute(labels, node_name)`. REQUIRES: the row has a Node object.
  template <class Compute>
  Answer Get(cluster::NodeSlot slot, Compute compute) {
    std::optional<Answer>& answer = answers_[per_node_ ? slot.index : nodes_.label_set[slot.index]];
    if (!answer) answer = compute(Labels(slot), nodes_.name[slot.index]);
    return *answer;
  }

 private:
  const api::Labels& Labels(cluster::NodeSlot slot) const {
    return per_node_ ? nodes_.node[slot.index]->meta.labels : *nodes_.label_sets().value(nodes_.label_set[slot.index]);
  }

  const cluster::NodeTable& nodes_;
  bool per_node_;
  std::vector<std::optional<Answer>> answers_;  // By slot or by label set.
};

}  // namespace berth::plugins
