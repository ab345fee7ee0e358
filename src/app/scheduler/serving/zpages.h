// SPDX-License-Identifier: Apache-2.0
// /flagz and /statusz: what the scheduler was started with and what it is, for people and, structured, for programs.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/scheduler/flags/options.h"
#include "app/scheduler/serving/answer.h"
#include "base/time.h"

namespace berth::scheduler_app {

// `accept` is the header of the request; empty: text.
Answer ServeFlagz(std::span<const FlagValue> flags, std::string_view accept);

struct StatusPage {
  Time start;
  Time now;
  std::string runtime_version;     // Where a program in Go states that of Go.
  std::string binary_version;      // "1.37.1"
  std::string emulation_version;   // "1.37"
  std::vector<std::string> paths;  // Sorted.
};
Answer ServeStatusz(const StatusPage& status, std::string_view accept);

}  // namespace berth::scheduler_app
