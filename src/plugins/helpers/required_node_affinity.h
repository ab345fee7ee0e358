// SPDX-License-Identifier: Apache-2.0
// RequiredNodeAffinity: where a pod's nodeSelector and required node affinity let it go.
//
// A node must carry all labels of the nodeSelector and match one of the affinity's terms. Terms that do not compile
// match nothing.
//
// Thread: core.

#pragma once

#include <optional>
#include <string_view>

#include "api/objects/pod.h"
#include "api/parts/selector.h"
#include "cluster/node_table.h"
#include "plugins/helpers/node_memo.h"

namespace berth::plugins {

class RequiredNodeAffinity {
 public:
  explicit RequiredNodeAffinity(const api::PodSpec& spec);
  // Of a node selector alone.
  explicit RequiredNodeAffinity(const api::NodeSelector& terms) : terms_(terms) {}

  bool Matches(const api::Labels& labels, std::string_view node_name) const;
  // The same, with an error when no valid term matched and some term does not compile.
  Result<bool> Match(const api::Labels& labels, std::string_view node_name) const;
  // The pod states no requirement.
  bool matches_all() const { return labels_.empty() && !terms_; }
  // The answer needs a node's name or hostname label: two nodes with the same label set may differ.
  bool tells_nodes_apart() const;

 private:
  api::Selector labels_;
  std::optional<api::NodeSelectorMatcher> terms_;
};

// The same for the nodes of a table, worked out once per label set where that is possible. Valid for one cycle.
class NodeAffinityMatches {
 public:
  NodeAffinityMatches(RequiredNodeAffinity affinity, const cluster::NodeTable& nodes)
      : affinity_(std::move(affinity)), memo_(nodes, affinity_.tells_nodes_apart()) {}

  bool matches_all() const { return affinity_.matches_all(); }
  // REQUIRES: the row has a Node object.
  bool Matches(cluster::NodeSlot slot) {
    return memo_.Get(
        slot, [this](const api::Labels& labels, std::string_view name) { return affinity_.Matches(labels, name); });
  }

 private:
  RequiredNodeAffinity affinity_;
  NodeMemo<bool> memo_;
};

}  // namespace berth::plugins
