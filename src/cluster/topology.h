// SPDX-License-Identifier: Apache-2.0
// Topology: which domain of a topology key each node belongs to.
//
// A key becomes a column the first time it is asked for and is kept up to date while it is asked for again. A column
// ends with the last node that has the key: a key that no node has takes no room. Domain ids are dense per key; ids of
// domains without nodes are reused.
//
// Thread: core.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/parts/labels.h"
#include "cluster/tables/ids.h"

namespace berth::cluster {

// One topology key: the domain of every node slot.
class TopologyKey {
 public:
  explicit TopologyKey(std::string key) : key_(std::move(key)) {}

  const std::string& key() const { return key_; }
  DomainId domain(NodeSlot slot) const { return slot.index < of_slot_.size() ? of_slot_[slot.index] : kNoDomain; }
  // Upper bound of domain ids: size of an array indexed by domain.
  size_t domain_count() const { return values_.size(); }
  const std::string& value(DomainId domain) const { return values_[domain]; }
  // The domain of `value`, or kNoDomain.
  DomainId Find(std::string_view value) const;
  // Grows whenever a node joins or leaves a domain.
  uint64_t version() const { return version_; }
  // No two nodes are in the same domain, as with host names.
  bool is_per_node() const { return shared_domains_ == 0; }

  void Set(NodeSlot slot, const std::string* value);  // nullptr: the node has no such label.

  size_t bytes() const { return of_slot_.capacity() * sizeof(DomainId) + values_.capacity() * sizeof(std::string); }

 private:
  DomainId Acquire(const std::string& value);
  void Release(DomainId domain);

  std::string key_;
  std::vector<DomainId> of_slot_;  // The last one is a domain.
  std::vector<std::string> values_;
  std::vector<uint32_t> node_counts_;
  std::vector<DomainId> free_;
  uint64_t version_ = 0;
  size_t shared_domains_ = 0;  // Those of several nodes.
  std::map<std::string, DomainId, std::less<>> by_value_;
};

}  // namespace berth::cluster
