// SPDX-License-Identifier: Apache-2.0
// Outage: what to say about a server that many watches find unreachable at the same time.
//
// Each of them asks again by itself, waiting longer each time. Whichever is the first to fail for the n-th time speaks
// for all; so there is one report for each wait, and not one for each watch.

#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace berth::scheduler_app {

class Outage {
 public:
  // Whether this failure is to be reported.
  bool Failed(const std::string& watch) {
    const size_t times = ++failures_[watch];
    if (times <= reported_) return false;
    reported_ = times;
    return true;
  }

  void Reached(const std::string& watch) {
    if (failures_.erase(watch) > 0 && failures_.empty()) reported_ = 0;
  }

  size_t failing() const { return failures_.size(); }

 private:
  std::map<std::string, size_t> failures_;  // In a row, by watch.
  size_t reported_ = 0;
};

}  // namespace berth::scheduler_app
