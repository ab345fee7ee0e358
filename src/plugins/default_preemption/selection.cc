// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/selection.h"

#include <algorithm>
#include <compare>
#include <optional>

namespace berth::plugins {
namespace {

// Members in the order in which they count; less is better.
struct Harm {
  int64_t pdb_violations = 0;
  int32_t highest_priority = 0;
  int64_t priority_sum = 0;
  size_t victims = 0;
  int64_t age = 0;
  auto operator<=>(const Harm&) const = default;
};

Harm HarmOf(const framework::PreemptionCandidate& candidate) {
  // Lifts every priority above zero, so that more victims of negative priority are not better than fewer.
  constexpr int64_t kLift = int64_t{1} << 31;
  // Victims are sorted, unless an extender named them: then the first still stands for the highest priority, as
  // upstream has it, while the age is that of the most important one.
  const auto is_more_important = [](const cluster::PodPtr& a, const cluster::PodPtr& b) {
    if (a->priority() != b->priority()) return a->priority() > b->priority();
    return framework::StartTime(*a) < framework::StartTime(*b);
  };
  const cluster::PodInfo& oldest = **std::ranges::min_element(candidate.victims, is_more_important);
  Harm harm{.pdb_violations = candidate.pdb_violations,
            .highest_priority = candidate.victims.front()->priority(),
            .priority_sum = 0,
            .victims = candidate.victims.size(),
            .age = ~framework::StartTime(oldest).nanos};  // Reverses the order, without overflow.
  for (const cluster::PodPtr& victim : candidate.victims) harm.priority_sum += victim->priority() + kLift;
  return harm;
}

}  // namespace

std::vector<size_t> LeastHarmful(std::span<const framework::PreemptionCandidate> candidates) {
  std::vector<size_t> best;
  std::optional<Harm> least;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Harm harm = HarmOf(candidates[i]);
    if (least && harm > *least) continue;
    if (least && harm < *least) best.clear();
    least = harm;
    best.push_back(i);
  }
  return best;
}

}  // namespace berth::plugins
