// SPDX-License-Identifier: Apache-2.0
// ScalingRules: how fast an autoscaler may follow what its metrics propose.
//
// Proposals are remembered for some time, so that the number does not go up and down with them, and changes, so that
// there are not too many in a while. Without behavior the rules are upstream's of old: down not before five minutes, up
// to twice the number at most. A behavior has rules of its own for each direction.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

// What came of a rule, as a condition says it.
struct Ruling {
  int64_t replicas = 0;
  bool is_limited = false;
  std::string_view reason;
  std::string_view message;
};

class ScalingHistory {
 public:
  // The number that was there when it began counts as proposed.
  void Begin(int64_t current, Time now);
  // What recent proposals make of this one, which is remembered.
  Ruling Stabilize(const Json& behavior, int64_t current, int64_t proposed, Time now);
  // What may be made of a stabilized proposal now.
  Ruling Limit(const Json& spec, int64_t current, int64_t proposed, Time now) const;
  // The number was changed.
  void Record(const Json& behavior, int64_t before, int64_t after, Time now);

 private:
  struct Proposal {
    int64_t replicas;
    Time at;
  };
  struct Step {
    int64_t change;  // Downwards: less than 0.
    Time at;
  };

  // How much was added less what was taken away, after this time.
  int64_t ChangeSince(Time start) const;
  // How far one may go up (`sign` 1) or down (-1).
  int64_t Bound(const Json& rules, int64_t current, int64_t sign, Time now) const;

  std::vector<Proposal> proposals_;
  std::vector<Step> steps_;
};

}  // namespace berth::server
