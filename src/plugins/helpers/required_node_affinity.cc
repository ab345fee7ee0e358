// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/required_node_affinity.h"

namespace berth::plugins {

RequiredNodeAffinity::RequiredNodeAffinity(const api::PodSpec& spec) {
  if (spec.node_selector) labels_ = api::Selector::FromLabels(*spec.node_selector);
  if (spec.affinity && spec.affinity->node_affinity && spec.affinity->node_affinity->required) {
    terms_.emplace(*spec.affinity->node_affinity->required);
  }
}

bool RequiredNodeAffinity::Matches(const api::Labels& labels, std::string_view node_name) const {
  return labels_.Matches(labels) && (!terms_ || terms_->Matches(labels, node_name));
}

Result<bool> RequiredNodeAffinity::Match(const api::Labels& labels, std::string_view node_name) const {
  if (!labels_.Matches(labels)) return false;
  if (!terms_) return true;
  return terms_->Match(labels, node_name);
}

bool RequiredNodeAffinity::tells_nodes_apart() const {
  for (const api::Selector::Requirement& requirement : labels_.requirements()) {
    if (requirement.key == cluster::kHostnameLabel) return true;
  }
  return terms_ && terms_->DependsOn(cluster::kHostnameLabel);
}

}  // namespace berth::plugins
