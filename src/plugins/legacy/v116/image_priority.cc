// SPDX-License-Identifier: Apache-2.0
// ImageLocalityPriority.

#include <algorithm>

#include "plugins/image_locality/image_locality.h"
#include "plugins/legacy/v116/node_priorities.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeSlot;

constexpr int64_t kMiB = 1024 * 1024;
constexpr int64_t kLeastSum = 23 * kMiB;
constexpr int64_t kMostSum = 1000 * kMiB;

int64_t ScoreOfImages(int64_t sum) {
  return kMaxPriority * (std::clamp(sum, kLeastSum, kMostSum) - kLeastSum) / (kMostSum - kLeastSum);
}

}  // namespace

framework::Status ImageLocalityPriority::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                                               framework::Scores& scores) const {
  scores.SetUniform(nodes.size(), 0);
  const size_t node_count = cycle.cluster().order().size();
  std::vector<int64_t> sums;  // By slot; empty while no node has any of the images.
  for (const api::Container& container : cycle.pod().spec().containers) {
    const cluster::ImageIndex::Image* image = cycle.cluster().images().Find(ImageWithTag(container.image));
    if (image == nullptr) continue;
    sums.resize(cycle.nodes().slot_limit());
    const std::vector<size_t>& counts = counts_.Of(*image, cycle.nodes());
    for (size_t i = 0; i < counts.size(); ++i) {
      int64_t& sum = sums[image->nodes[i].index];
      sum = cluster::WrapAdd(sum, ImageContribution(image->size_bytes, counts[i], node_count));
    }
  }
  if (sums.empty()) return framework::Status::Success();
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) values[i] = ScoreOfImages(sums[nodes[i].index]);
  return framework::Status::Success();
}

}  // namespace berth::plugins::legacy::v116
