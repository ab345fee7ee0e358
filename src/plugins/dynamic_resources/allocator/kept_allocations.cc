// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/kept_allocations.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace berth::plugins {
namespace {

constexpr size_t kAnswersMax = 50'000;
constexpr size_t kQuestionsMin = 4;
constexpr size_t kQuestionsMax = 64;

bool MayKeep(const Allocation& allocation) {
  return allocation.outcome != Allocation::Outcome::kError && allocation.outcome != Allocation::Outcome::kGaveUp;
}

}  // namespace

NodeAnswers::NodeAnswers(std::span<const api::ResourceClaim* const> claims) {
  for (const api::ResourceClaim* claim : claims) {
    asked_.push_back({.requests = claim->requests, .constraints = claim->constraints, .config = claim->config});
  }
}

bool NodeAnswers::IsFor(std::span<const api::ResourceClaim* const> claims) const {
  return std::ranges::equal(asked_, claims, [](const Asked& asked, const api::ResourceClaim* claim) {
    return asked.requests == claim->requests && asked.constraints == claim->constraints &&
           asked.config == claim->config;
  });
}

AllocationPtr NodeAnswers::Get(const cluster::Cluster& cluster, cluster::NodeSlot node,
                               std::span<const api::ResourceClaim* const> claims) {
  const std::shared_ptr<const api::Node>& object = cluster.nodes().node[node.index];
  if (answers_.size() <= node.index) answers_.resize(cluster.nodes().slot_limit());
  Answer& answer = answers_[node.index];
  if (answer.allocation != nullptr && answer.node == object &&
      cluster.devices.LastChangeFor(object->meta.name) <= answer.change) {
    BERTH_DASSERT(answer.allocation->SameAs(AllocateDevices(cluster, node, claims)));
    return answer.allocation;
  }
  answer = {};
  auto found = std::make_shared<const Allocation>(AllocateDevices(cluster, node, claims));
  if (MayKeep(*found)) {
    answer = {.allocation = found, .node = object, .change = cluster.devices.change_count()};
  }
  return found;
}

std::shared_ptr<NodeAnswers> KeptAllocations::For(std::span<const api::ResourceClaim* const> claims,
                                                  size_t node_count) {
  auto found = std::ranges::find_if(recent_, [&](const auto& answers) { return answers->IsFor(claims); });
  if (found == recent_.end()) {
    const size_t limit = std::clamp(kAnswersMax / std::max<size_t>(node_count, 1), kQuestionsMin, kQuestionsMax);
    if (recent_.size() >= limit) recent_.resize(limit - 1);
    recent_.push_back(std::make_shared<NodeAnswers>(claims));
    found = recent_.end() - 1;
  }
  std::rotate(recent_.begin(), found, found + 1);
  return recent_.front();
}

}  // namespace berth::plugins
