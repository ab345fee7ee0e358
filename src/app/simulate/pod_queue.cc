// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/pod_queue.h"

#include <algorithm>
#include <utility>

namespace berth::simulate {
namespace {

constexpr uint8_t Bit(Happening happening) { return static_cast<uint8_t>(1U << static_cast<unsigned>(happening)); }

constexpr uint8_t kPlaced = Bit(Happening::kPodPlaced);
constexpr uint8_t kGone = Bit(Happening::kPodGone);
constexpr uint8_t kBound = Bit(Happening::kVolumeBound);
constexpr uint8_t kAnything = kPlaced | kGone | kBound;

struct Helpers {
  std::string_view plugin;
  uint8_t happenings;
};
// Nodes do not change during a simulation, so nothing helps a pod that does not like them.
constexpr std::array<Helpers, 11> kHelpers = {{
    {"NodeResourcesFit", kGone},
    {"NodePorts", kGone},
    {"InterPodAffinity", kPlaced | kGone},
    {"PodTopologySpread", kPlaced | kGone},
    {"VolumeBinding", kBound},
    {"VolumeZone", kBound},
    {"VolumeRestrictions", kGone | kBound},
    {"NodeName", 0},
    {"NodeAffinity", 0},
    {"TaintToleration", 0},
    {"NodeUnschedulable", 0},
}};

uint8_t HelpersOf(std::string_view plugin) {
  const auto* it = std::ranges::find(kHelpers, plugin, &Helpers::plugin);
  return it == kHelpers.end() ? kAnything : it->happenings;
}

}  // namespace

bool PodQueue::Before::operator()(const Entry& a, const Entry& b) const {
  const framework::QueuedPod left{*a.info, a.timestamp};
  const framework::QueuedPod right{*b.info, b.timestamp};
  if (sort->Less(left, right)) return true;
  if (sort->Less(right, left)) return false;
  return a.pod < b.pod;
}

void PodQueue::Push(size_t pod, cluster::PodPtr info, Time timestamp) {
  active_.insert({std::move(info), timestamp, pod});
}

void PodQueue::Wait(size_t pod, cluster::PodPtr info, Time timestamp,
                    const std::set<std::string, std::less<>>& plugins) {
  uint8_t helpers = plugins.empty() ? kAnything : 0;
  for (const std::string& plugin : plugins) helpers |= HelpersOf(plugin);
  waiting_.insert_or_assign(pod, Waiting{{std::move(info), timestamp, pod}, helpers, clock_});
}

void PodQueue::Return() {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    bool is_helped = false;
    for (size_t i = 0; i < last_.size(); ++i) {
      is_helped |= (it->second.helpers & (1U << i)) != 0 && last_[i] > it->second.since;
    }
    if (is_helped) active_.insert(std::move(it->second.entry));
    it = is_helped ? waiting_.erase(it) : std::next(it);
  }
}

std::optional<size_t> PodQueue::Pop() {
  if (active_.empty()) Return();
  if (active_.empty()) return std::nullopt;
  const size_t pod = active_.begin()->pod;
  active_.erase(active_.begin());
  return pod;
}

}  // namespace berth::simulate
