// SPDX-License-Identifier: Apache-2.0
// DomainCounts: matching pods per topology domain, and the smallest and largest count of all.
//
// A domain is one of those that count while it has nodes. The extremes are always those of the counts, whatever was
// added and taken away.
//
// Cost of a change: the logarithm of the number of different counts.

#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "cluster/tables/ids.h"

namespace berth::plugins::spread {

class DomainCounts {
 public:
  // The minimum when there is no domain.
  static constexpr int32_t kNone = std::numeric_limits<int32_t>::max();

  void AddNode(cluster::DomainId domain, int32_t pods) {
    if (domain >= domains_.size()) domains_.resize(domain + size_t{1});
    Domain& entry = domains_[domain];
    if (entry.nodes++ > 0) {
      Uncount(entry.pods);
    } else {
      ++count_;
    }
    entry.pods += pods;
    ++having_[entry.pods];
  }
  // REQUIRES: such a node was added, here and below.
  void RemoveNode(cluster::DomainId domain, int32_t pods) {
    Domain& entry = domains_[domain];
    Uncount(entry.pods);
    entry.pods -= pods;
    if (--entry.nodes > 0) {
      ++having_[entry.pods];
    } else {
      --count_;
    }
  }
  // Changes the count of a domain; it may become negative.
  void Change(cluster::DomainId domain, int32_t delta) {
    Domain& entry = domains_[domain];
    Uncount(entry.pods);
    entry.pods += delta;
    ++having_[entry.pods];
  }

  // 0 for a domain that has no node.
  int32_t count(cluster::DomainId domain) const { return domain < domains_.size() ? domains_[domain].pods : 0; }
  size_t domains() const { return count_; }
  int32_t minimum() const { return having_.empty() ? kNone : having_.begin()->first; }
  // 0 when there is no domain.
  int32_t maximum() const { return having_.empty() ? 0 : having_.rbegin()->first; }

  bool operator==(const DomainCounts& other) const { return having_ == other.having_ && count_ == other.count_; }

 private:
  struct Domain {
    int32_t pods = 0;
    int32_t nodes = 0;
  };

  void Uncount(int32_t pods) {
    const auto it = having_.find(pods);
    if (--it->second == 0) having_.erase(it);
  }

  std::vector<Domain> domains_;
  size_t count_ = 0;                  // Domains with nodes.
  std::map<int32_t, size_t> having_;  // How many domains have so many pods.
};

}  // namespace berth::plugins::spread
