// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/delayed_claims.h"

#include <algorithm>
#include <utility>

#include "plugins/helpers/volume_claims.h"

namespace berth::plugins {

void DelayedClaims::Init(std::vector<std::shared_ptr<const api::PersistentVolumeClaim>> claims,
                         const cluster::Cluster& cluster) {
  for (auto& claim : claims) {
    Claim& added = claims_.emplace_back();
    added.selected_node = claim->meta.annotations.Find(kSelectedNodeAnnotation);
    if (added.selected_node == nullptr) added.options = ClaimOptions(*claim, cluster.assumed_volumes.volumes);
    added.claim = std::move(claim);
  }
  // Small claims choose first, so that each gets the smallest volume that fits.
  const auto matched =
      std::ranges::stable_partition(claims_, [](const Claim& claim) { return claim.selected_node != nullptr; });
  std::ranges::stable_sort(matched, [](const Claim& a, const Claim& b) {
    return StorageAmount(a.claim->requests).Cmp(StorageAmount(b.claim->requests)) < 0;
  });
  choices_.resize(cluster.nodes().slot_limit() * claims_.size());
  is_possible_.resize(cluster.nodes().slot_limit());
}

Result<DelayedClaims::Answer> DelayedClaims::Check(const cluster::Cluster& cluster, cluster::NodeSlot node) {
  const cluster::NodeTable& nodes = cluster.nodes();
  const std::string& node_name = nodes.name[node.index];
  const bool is_elsewhere = std::ranges::any_of(
      claims_, [&](const Claim& claim) { return claim.selected_node != nullptr && *claim.selected_node != node_name; });
  if (is_elsewhere) return Answer::kNoVolume;

  const std::span<Choice> choices = std::span(choices_).subspan(node.index * claims_.size(), claims_.size());
  BERTH_CHECK_OK(ChooseVolumes(nodes.node[node.index]->meta.labels, choices));
  const Answer answer = Provision(cluster, node, choices);
  is_possible_[node.index] = answer == Answer::kPossible;
  return answer;
}

Result<void> DelayedClaims::ChooseVolumes(const api::Labels& node_labels, std::span<Choice> choices) {
  taken_.clear();
  for (size_t i = 0; i < claims_.size(); ++i) {
    const ClaimOptions& options = claims_[i].options;
    if (!options.error().empty()) return Invalid(options.error());
    choices[i] = {.volume = options.Choose(node_labels, taken_)};
    if (choices[i].volume != nullptr) taken_.push_back(choices[i].volume);
  }
  return {};
}

// The first claim that cannot be provisioned decides.
DelayedClaims::Answer DelayedClaims::Provision(const cluster::Cluster& cluster, cluster::NodeSlot node,
                                               std::span<Choice> choices) {
  for (size_t i = 0; i < claims_.size(); ++i) {
    if (choices[i].volume != nullptr) continue;
    Claim& claim = claims_[i];
    if (claim.provisioning == nullptr) claim.provisioning = std::make_unique<ClaimProvisioning>(*claim.claim, cluster);
    const ClaimProvisioning::Outcome outcome = claim.provisioning->Check(node);
    if (outcome.answer == ClaimProvisioning::Answer::kImpossible) return Answer::kNoVolume;
    if (outcome.answer == ClaimProvisioning::Answer::kNoSpace) return Answer::kNoSpace;
    choices[i].capacity = outcome.capacity;
  }
  return Answer::kPossible;
}

std::span<const DelayedClaims::Choice> DelayedClaims::choices(cluster::NodeSlot node) const {
  if (node.index >= is_possible_.size() || is_possible_[node.index] == 0) return {};
  return std::span(choices_).subspan(node.index * claims_.size(), claims_.size());
}

}  // namespace berth::plugins
