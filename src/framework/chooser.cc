// SPDX-License-Identifier: Apache-2.0
#include "framework/chooser.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "framework/cycle.h"
#include "framework/profile.h"

namespace berth::framework {
namespace {

using cluster::NodeSlot;

size_t SmallestName(const cluster::NodeTable& nodes, std::span<const NodeSlot> slots) {
  const auto smallest =
      std::ranges::min_element(slots, {}, [&](NodeSlot slot) -> const std::string& { return nodes.name[slot.index]; });
  return static_cast<size_t>(smallest - slots.begin());
}

// The first one from `start` on.
size_t NextOnRing(const cluster::NodeTable& nodes, std::span<const NodeSlot> slots, uint64_t start) {
  const auto distance = [&](NodeSlot slot) { return RingPlace(nodes.name_hash[slot.index]) - start; };
  size_t first = 0;
  uint64_t nearest = distance(slots[0]);
  for (size_t i = 1; i < slots.size(); ++i) {
    const uint64_t next = distance(slots[i]);
    if (next > nearest) continue;
    if (next == nearest && nodes.name[slots[i].index] >= nodes.name[slots[first].index]) continue;
    first = i;
    nearest = next;
  }
  return first;
}

void KeepFewestOfOwner(const Cycle& cycle, std::vector<NodeSlot>& slots) {
  const cluster::Counts* of_owner = cycle.cluster().owners().Find(cycle.pod());
  if (of_owner == nullptr) return;
  const auto count = [&](NodeSlot slot) { return of_owner->of(slot.index); };
  const int32_t fewest = count(std::ranges::min(slots, {}, count));
  std::erase_if(slots, [&](NodeSlot slot) { return count(slot) != fewest; });
}

}  // namespace

NodeSlot SeededChooser::ChooseBest(const Profile& profile, Cycle& cycle, std::span<const NodeSlot> best) const {
  if (best.size() == 1) return best.front();
  std::vector<NodeSlot> tied(best.begin(), best.end());
  profile.NarrowTie(cycle, tied);
  if (tied.size() > 1) KeepFewestOfOwner(cycle, tied);
  return tied[NextOnRing(cycle.nodes(), tied, HashOf(cycle))];
}

size_t SeededChooser::ChoosePreemption(const Cycle& cycle, std::span<const NodeSlot> nodes) const {
  return NextOnRing(cycle.nodes(), nodes, HashOf(cycle));
}

size_t SeededChooser::Offset(const Cycle& cycle, size_t count) const {
  return static_cast<size_t>(MixHash(HashOf(cycle)) % count);
}

uint64_t SeededChooser::HashOf(const Cycle& cycle) const {
  const cluster::PodInfo& pod = cycle.pod();
  const api::OwnerReference& owner = pod.pod_template->controller;
  return MixHash(HashBytes(owner.kind.empty() ? pod.name : owner.name, HashBytes(pod.ns(), seed_)));
}

NodeSlot SmallestNameChooser::ChooseBest(const Profile&, Cycle& cycle, std::span<const NodeSlot> best) const {
  return best[SmallestName(cycle.nodes(), best)];
}

size_t SmallestNameChooser::ChoosePreemption(const Cycle& cycle, std::span<const NodeSlot> nodes) const {
  return SmallestName(cycle.nodes(), nodes);
}

size_t SmallestNameChooser::Offset(const Cycle&, size_t) const { return 0; }

}  // namespace berth::framework
