// SPDX-License-Identifier: Apache-2.0
// Scoring of VolumeBinding: how much of the storage that the pod would use on a node is used up.
#include <string_view>
#include <utility>
#include <vector>

#include "base/go_math.h"
#include "plugins/helpers/volume_claims.h"
#include "plugins/volume_binding/volume_binding.h"
#include "plugins/volume_binding/volume_binding_state.h"

namespace berth::plugins {
namespace {

using framework::Status;

// What the pod requests of one storage class on a node.
struct ClassUsage {
  std::string_view class_name;
  int64_t requested = 0;
  int64_t capacity = 0;
};

// Amounts of bytes wrap around as they do upstream, instead of being undefined.
int64_t WrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t WrappingTimes100(int64_t a) { return static_cast<int64_t>(static_cast<uint64_t>(a) * 100); }

ClassUsage& UsageOf(std::string_view class_name, std::vector<ClassUsage>& usages) {
  for (ClassUsage& usage : usages) {
    if (usage.class_name == class_name) return usage;
  }
  return usages.emplace_back(ClassUsage{.class_name = class_name});
}

void AddVolumes(const DelayedClaims& claims, std::span<const DelayedClaims::Choice> choices,
                std::vector<ClassUsage>& usages) {
  for (size_t i = 0; i < choices.size(); ++i) {
    const api::PersistentVolume* volume = choices[i].volume;
    if (volume == nullptr) continue;
    ClassUsage& usage = UsageOf(volume->storage_class_name, usages);
    usage.requested = WrappingAdd(usage.requested, StorageAmount(claims.claim(i).requests).Value());
    usage.capacity = WrappingAdd(usage.capacity, StorageAmount(volume->capacity).Value());
  }
}

// Claims of one class draw on the same capacity, so it is not added up.
void AddProvisionings(const DelayedClaims& claims, std::span<const DelayedClaims::Choice> choices,
                      std::vector<ClassUsage>& usages) {
  for (size_t i = 0; i < choices.size(); ++i) {
    const api::CsiStorageCapacity* capacity = choices[i].capacity;
    if (capacity == nullptr) continue;
    ClassUsage& usage = UsageOf(StorageClassName(claims.claim(i)), usages);
    usage.requested = WrappingAdd(usage.requested, StorageAmount(claims.claim(i).requests).Value());
    usage.capacity = capacity->capacity ? capacity->capacity->Value() : 0;
  }
}

int64_t ScoreUsage(const ClassUsage& usage, const BrokenLinear& shape) {
  if (usage.capacity == 0 || usage.requested > usage.capacity) return shape(100);
  return shape(WrappingTimes100(usage.requested) / usage.capacity);
}

// Provisioning counts only on nodes where no existing volume would be used.
int64_t ScoreChoices(const DelayedClaims& claims, std::span<const DelayedClaims::Choice> choices,
                     const BrokenLinear& shape, std::vector<ClassUsage>& usages) {
  usages.clear();
  AddVolumes(claims, choices, usages);
  if (usages.empty()) AddProvisionings(claims, choices, usages);
  if (usages.empty()) return 0;
  int64_t sum = 0;
  for (const ClassUsage& usage : usages) sum += ScoreUsage(usage, shape);
  return RoundHalfAway(static_cast<double>(sum) / static_cast<double>(usages.size()));
}

}  // namespace

Status VolumeBinding::PreScore(framework::Cycle& cycle, std::span<const cluster::NodeSlot>) const {
  if (!shape_) return Status::Skip();
  return cycle.state<VolumeBindingState>(index()) == nullptr ? Status::Error("not found") : Status::Success();
}

// All nodes score the same, unless volumes are to be found for the pod.
framework::Reach VolumeBinding::score_reach(const framework::Cycle& cycle) const {
  const auto* state = cycle.state<VolumeBindingState>(index());
  const bool is_same = !shape_ || (state != nullptr && state->delayed.empty());
  return is_same ? framework::Reach::kNode : framework::Reach::kCluster;
}

Status VolumeBinding::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                            framework::Scores& scores) const {
  const auto* state = cycle.state<VolumeBindingState>(index());
  if (shape_ && state == nullptr) return Status::Error("not found");
  if (!shape_ || state->delayed.empty()) {
    scores.SetUniform(nodes.size(), 0);
    return Status::Success();
  }
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  std::vector<ClassUsage> usages;
  for (size_t i = 0; i < nodes.size(); ++i) {
    values[i] = ScoreChoices(state->delayed, state->delayed.choices(nodes[i]), *shape_, usages);
  }
  return Status::Success();
}

}  // namespace berth::plugins
