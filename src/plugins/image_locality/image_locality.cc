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

// The images that some node holds. Empty names: no node holds any.
struct ImageLocality::State : framework::PluginState {
  std::vector<const cluster::ImageIndex::Image*> images;  // Of the cluster, once for each use.
  size_t image_count = 0;                                 // Of the pod.
};

const ImageLocality::State& ImageLocality::StateOf(framework::Cycle& cycle) const {
  if (const State* made = cycle.state<State>(index())) return *made;
  State& state = cycle.MakeState<State>(index());
  const std::vector<std::string> names = ImagesOf(cycle.pod().spec());
  state.image_count = names.size();
  for (const std::string& name : names) {
    if (const cluster::ImageIndex::Image* image = cycle.cluster().images().Find(name)) state.images.push_back(image);
  }
  return state;
}

framework::Status ImageLocality::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                                       framework::Scores& scores) const {
  scores.SetUniform(nodes.size(), 0);
  const State& state = StateOf(cycle);
  if (state.images.empty()) return framework::Status::Success();
  const size_t node_count = cycle.cluster().order().size();
  // By node. Unsigned, because absurd sizes wrap around.
  std::vector<uint64_t> sums(nodes.size());
  // Where many nodes are asked for, a mark on those that hold the image costs less than a search for each.
  const bool are_many = nodes.size() > cycle.nodes().slot_limit() / 16;
  std::vector<uint8_t> holds;
  for (const cluster::ImageIndex::Image* image : state.images) {
    const auto contribution =
        static_cast<uint64_t>(ImageContribution(image->size_bytes, image->nodes.size(), node_count));
    if (are_many) {
      holds.assign(cycle.nodes().slot_limit(), 0);
      for (const cluster::NodeSlot slot : image->nodes) holds[slot.index] = 1;
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      const bool is_there = are_many ? holds[nodes[i].index] != 0 : std::ranges::binary_search(image->nodes, nodes[i]);
      if (is_there) sums[i] += contribution;
    }
  }
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto sum = static_cast<int64_t>(sums[i]);
    values[i] = sum <= kMinSum ? 0 : ScoreOfSum(sum, state.image_count);
  }
  return framework::Status::Success();
}

bool ImageLocality::AppendSources(framework::Cycle& cycle, Sources& sources) const {
  for (const cluster::ImageIndex::Image* image : StateOf(cycle).images) sources.push_back(image->name);
  return true;
}

void ImageLocality::AppendTraits(const framework::Cycle& cycle, cluster::NodeSlot node, Traits& traits) const {
  const auto* state = cycle.state<State>(index());
  for (const cluster::ImageIndex::Image* image : state->images) {
    traits.push_back(std::ranges::binary_search(image->nodes, node) ? 1 : 0);
  }
}

}  // namespace berth::plugins
