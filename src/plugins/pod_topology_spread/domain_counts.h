// SPDX-License-Identifier: Apache-2.0
// DomainCounts: matching pods per topology domain, and the smallest count of all.
//
// The minimum is always that of the counts, whatever was added and taken away. Changing a count is constant time; a
// change that raises the last domain at the minimum makes the next question look at all domains again.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "cluster/tables/ids.h"

namespace berth::plugins::spread {

class DomainCounts {
 public:
  // The minimum when there is no domain.
  static constexpr int32_t kNone = std::numeric_limits<int32_t>::max();

  explicit DomainCounts(size_t id_limit) : counts_(id_limit, kNone) {}

  // Makes `domain` one of the domains, if it is not yet, and adds `pods` to it. REQUIRES: nothing was changed or asked
  // yet.
  void Include(cluster::DomainId domain, int32_t pods) {
    int32_t& count = counts_[domain];
    if (count == kNone) {
      count = 0;
      ++domains_;
    }
    count += pods;
  }

  // Changes the count of a domain; it may become negative. REQUIRES: the domain was included.
  void Change(cluster::DomainId domain, int32_t delta) {
    int32_t& count = counts_[domain];
    if (at_minimum_ > 0 && count == minimum_) --at_minimum_;
    count += delta;
    if (at_minimum_ == 0) return;
    if (count < minimum_) {
      minimum_ = count;
      at_minimum_ = 0;
    }
    if (count == minimum_) ++at_minimum_;
  }

  // 0 for a domain that is not included.
  int32_t count(cluster::DomainId domain) const { return counts_[domain] == kNone ? 0 : counts_[domain]; }
  size_t domains() const { return domains_; }
  size_t id_limit() const { return counts_.size(); }

  int32_t minimum() {
    if (at_minimum_ == 0 && domains_ > 0) {
      minimum_ = *std::ranges::min_element(counts_);
      at_minimum_ = static_cast<size_t>(std::ranges::count(counts_, minimum_));
    }
    return minimum_;
  }

  bool AnyAbove(int64_t limit) const {
    return std::ranges::any_of(counts_, [limit](int32_t count) { return count != kNone && count > limit; });
  }

 private:
  std::vector<int32_t> counts_;  // By domain; kNone: not included.
  size_t domains_ = 0;
  int32_t minimum_ = kNone;
  size_t at_minimum_ = 0;  // Domains at the minimum; 0: not known.
};

}  // namespace berth::plugins::spread
