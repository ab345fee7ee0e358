// SPDX-License-Identifier: Apache-2.0
// VolumeAffinity: which nodes can use a volume, by their labels.
//
// A condition on the name of the node is never met: volumes are matched by labels alone.

#pragma once

#include <optional>
#include <string>

#include "api/parts/labels.h"
#include "api/parts/selector.h"
#include "plugins/helpers/label_index.h"

namespace berth::plugins {

class VolumeAffinity {
 public:
  explicit VolumeAffinity(const std::optional<api::NodeSelector>& written);

  // The volume can be used everywhere.
  bool matches_all() const { return !matcher_; }
  // Two nodes with the same label set may differ.
  bool tells_nodes_apart() const;

  bool Matches(const api::Labels& node_labels) const { return !matcher_ || matcher_->Matches(node_labels, ""); }
  // Why the volume cannot be used on a node: upstream's text; empty if it can.
  std::string Mismatch(const api::Labels& node_labels) const;

  // Enters the volume, known as `item`, under the labels it asks for.
  void AddTo(LabelIndex& index, LabelIndex::Item item) const;

 private:
  std::optional<api::NodeSelectorMatcher> matcher_;
};

}  // namespace berth::plugins
