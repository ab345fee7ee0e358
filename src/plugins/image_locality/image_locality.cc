// SPDX-License-Identifier: Apache-2.0
#include "plugins/image_locality/image_locality.h"

#include <algorithm>
#include <limits>
#include <string>

namespace berth::plugins {
namespace {

constexpr int64_t kMebibyte = 1024 * 1024;
constexpr int64_t kMinSum = 23 * kMebibyte;
constexpr int64_t kMaxSumPerImage = 1000 * kMebibyte;

// Every image the pod needs, once for each use.
std::vector<std::string> ImagesOf(const api::PodSpec& spec) {
  std::vector<std::string> images;
  for (const api::Container& container : spec.init_containers) images.push_back(ImageWithTag(container.image));
  for (const api::Container& container : spec.containers) images.push_back(ImageWithTag(container.image));
  for (const api::Volume& volume : spec.volumes) {
    if (volume.source == api::Volume::Source::kImage) images.push_back(ImageWithTag(volume.id));
  }
  return images;
}

int64_t ScoreOfSum(int64_t sum, size_t image_count) {
  const int64_t max_sum = kMaxSumPerImage * static_cast<int64_t>(image_count);
  return framework::kMaxNodeScore * (std::clamp(sum, kMinSum, max_sum) - kMinSum) / (max_sum - kMinSum);
}

}  // namespace

std::string ImageWithTag(const std::string& image) {
  const size_t colon = image.rfind(':');
  const size_t slash = image.rfind('/');
  const bool has_tag = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return has_tag ? image : image + ":latest";
}

int64_t ImageContribution(int64_t size_bytes, size_t holders, size_t node_count) {
  const double spread = static_cast<double>(holders) / static_cast<double>(node_count);
  const double scaled = static_cast<double>(size_bytes) * spread;
  constexpr double kLimit = 0x1p63;
  return scaled < kLimit ? static_cast<int64_t>(scaled) : std::numeric_limits<int64_t>::min();  // As Go converts.
}

framework::Status ImageLocality::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                                       framework::Scores& scores) const {
  scores.SetUniform(nodes.size(), 0);
  const std::vector<std::string> images = ImagesOf(cycle.pod().spec());
  const size_t node_count = cycle.cluster().order().size();
  // By slot; empty while no node holds any of the images. Unsigned, because absurd sizes wrap around.
  std::vector<uint64_t> sums;
  for (const std::string& name : images) {
    const cluster::ImageIndex::Image* image = cycle.cluster().images().Find(name);
    if (image == nullptr) continue;
    sums.resize(cycle.nodes().slot_limit());
    const auto contribution =
        static_cast<uint64_t>(ImageContribution(image->size_bytes, image->nodes.size(), node_count));
    for (const cluster::NodeSlot slot : image->nodes) sums[slot.index] += contribution;
  }
  if (sums.empty()) return framework::Status::Success();
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto sum = static_cast<int64_t>(sums[nodes[i].index]);
    values[i] = sum <= kMinSum ? 0 : ScoreOfSum(sum, images.size());
  }
  return framework::Status::Success();
}

}  // namespace berth::plugins
