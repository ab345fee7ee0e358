// SPDX-License-Identifier: Apache-2.0
// ImageLocality: prefers nodes that already hold the pod's images.
//
// Each image counts with its size, scaled by the share of nodes that hold it, so that a new image does not draw every
// pod to the one node that has pulled it. The sum is mapped from [23 MiB, 1000 MiB per image] to [0, 100].
//
// Cost: for each node that is scored a look per image that some node holds.

#pragma once

#include <cstdint>
#include <string>

#include "framework/registry.h"

namespace berth::plugins {

// The name under which nodes report the image: with a tag.
std::string ImageWithTag(const std::string& image);

// What an image of this size adds to the sum of a node that holds it, if `holders` of the nodes do.
int64_t ImageContribution(int64_t size_bytes, size_t holders, size_t node_count);

class ImageLocality final : public framework::Plugin, public framework::ScorePlugin, public framework::TraitPlugin {
 public:
  static constexpr std::string_view kName = "ImageLocality";

  std::string_view name() const override { return kName; }
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Reach score_reach(const framework::Cycle&) const override { return framework::Reach::kTraits; }
  bool normalizes() const override { return false; }

  // Which of the pod's images a node holds.
  bool AppendSources(framework::Cycle& cycle, Sources& sources) const override;
  void AppendTraits(const framework::Cycle& cycle, cluster::NodeSlot node, Traits& traits) const override;

 private:
  struct State;
  const State& StateOf(framework::Cycle& cycle) const;
};

}  // namespace berth::plugins
