// SPDX-License-Identifier: Apache-2.0

#include "cluster/node_counts.h"

#include <algorithm>

#include "base/assert.h"

namespace berth::cluster {
namespace {

void AddToSums(DomainSums& sums, NodeSlot slot, int32_t amount) {
  const DomainId domain = sums.topology->domain(slot);
  if (domain == kNoDomain) return;
  sums.total += amount;
  if (!sums.per_node) sums.by_domain.Change(domain, amount);
}

bool IsCurrent(const DomainSums& sums) { return sums.version == sums.topology->version(); }

}  // namespace

void NodeCounts::Change(NodeSlot slot, int32_t amount) {
  by_slot_.Change(slot.index, amount);
  for (const std::shared_ptr<DomainSums>& sums : sums_) {
    if (IsCurrent(*sums)) AddToSums(*sums, slot, amount);
  }
}

std::shared_ptr<const DomainSums> NodeCounts::Sums(const std::shared_ptr<const TopologyKey>& topology) const {
  auto found = std::ranges::find_if(sums_, [&](const std::shared_ptr<DomainSums>& sums) {
    return sums->topology == topology || sums->topology->key() == topology->key();
  });
  if (found == sums_.end()) {
    if (sums_.size() == kSumsMax) sums_.erase(sums_.begin());
    found = sums_.insert(sums_.end(), Summed(topology));
  } else if ((*found)->topology != topology || !IsCurrent(**found)) {
    *found = Summed(topology);
  }
#ifdef BERTH_CHECKS
  const std::shared_ptr<const DomainSums> scanned = Summed(topology);
  const Counts& kept = (*found)->by_domain;
  BERTH_ASSERT((*found)->total == scanned->total && kept.size() == scanned->by_domain.size());
  scanned->by_domain.ForEach([&](uint32_t domain, int32_t sum) { BERTH_ASSERT(kept.of(domain) == sum); });
#endif
  return *found;
}

std::shared_ptr<DomainSums> NodeCounts::Summed(const std::shared_ptr<const TopologyKey>& topology) const {
  auto sums = std::make_shared<DomainSums>();
  sums->topology = topology;
  sums->version = topology->version();
  sums->per_node = topology->is_per_node();
  by_slot_.ForEach([&](uint32_t slot, int32_t count) { AddToSums(*sums, NodeSlot{slot}, count); });
  return sums;
}

size_t NodeCounts::bytes() const {
  size_t bytes = by_slot_.bytes() + sums_.capacity() * sizeof(sums_.front());
  for (const std::shared_ptr<DomainSums>& sums : sums_) bytes += sizeof(*sums) + sums->by_domain.bytes();
  return bytes;
}

}  // namespace berth::cluster
