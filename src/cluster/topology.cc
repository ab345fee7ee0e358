// SPDX-License-Identifier: Apache-2.0

#include "cluster/topology.h"

namespace berth::cluster {

DomainId TopologyKey::Find(std::string_view value) const {
  const auto it = by_value_.find(value);
  return it == by_value_.end() ? kNoDomain : it->second;
}

void TopologyKey::Set(NodeSlot slot, const std::string* value) {
  const DomainId old_domain = domain(slot);
  if (value != nullptr) {
    if (slot.index >= of_slot_.size()) of_slot_.resize(slot.index + 1, kNoDomain);
    of_slot_[slot.index] = Acquire(*value);
  } else if (old_domain != kNoDomain) {
    of_slot_[slot.index] = kNoDomain;
    while (!of_slot_.empty() && of_slot_.back() == kNoDomain) of_slot_.pop_back();
  }
  if (old_domain != kNoDomain) Release(old_domain);
  if (domain(slot) != old_domain) ++version_;
}

DomainId TopologyKey::Acquire(const std::string& value) {
  DomainId domain = Find(value);
  if (domain == kNoDomain) {
    if (free_.empty()) {
      domain = static_cast<DomainId>(values_.size());
      values_.emplace_back();
      node_counts_.push_back(0);
    } else {
      domain = free_.back();
      free_.pop_back();
    }
    values_[domain] = value;
    by_value_.emplace(value, domain);
  }
  if (++node_counts_[domain] == 2) ++shared_domains_;
  return domain;
}

void TopologyKey::Release(DomainId domain) {
  if (--node_counts_[domain] == 1) --shared_domains_;
  if (node_counts_[domain] > 0) return;
  by_value_.erase(values_[domain]);
  values_[domain].clear();
  free_.push_back(domain);
}

}  // namespace berth::cluster
