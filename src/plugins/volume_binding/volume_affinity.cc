// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/volume_affinity.h"

#include "cluster/node_table.h"

namespace berth::plugins {

VolumeAffinity::VolumeAffinity(const std::optional<api::NodeSelector>& written) {
  if (written) matcher_.emplace(*written);
}

bool VolumeAffinity::tells_nodes_apart() const { return matcher_ && matcher_->DependsOn(cluster::kHostnameLabel); }

std::string VolumeAffinity::Mismatch(const api::Labels& node_labels) const {
  if (!matcher_) return {};
  const Result<bool> matches = matcher_->Match(node_labels, "");
  if (!matches) return matches.error().message;
  return *matches ? std::string() : "no matching NodeSelectorTerms";
}

void VolumeAffinity::AddTo(LabelIndex& index, LabelIndex::Item item) const {
  if (!matcher_) return index.AddUnconditional(item);
  for (const api::NodeSelectorMatcher::Term& term : matcher_->terms()) {
    if (term.compiled && !term.compiled->matches_nothing()) index.Add(item, term.compiled->labels());
  }
}

}  // namespace berth::plugins
