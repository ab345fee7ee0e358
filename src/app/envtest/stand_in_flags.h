// SPDX-License-Identifier: Apache-2.0
// The command line of a program that Berth stands in for: flags of which some say nothing to Berth.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/scheduler/flags/flag_set.h"

namespace berth::envtest {

// A flag that is accepted and without effect, as what it is about does not exist here.
struct IdleFlag {
  std::string_view name;
  std::string_view type;  // As pflag names it: string, bool, int ...
  std::string_view why;   // What it is without effect on.
};

void AddIdleFlags(scheduler_app::FlagSet& flags, const std::vector<IdleFlag>& idle);

// Parses what the program was started with. Returns its exit code if that was all: help was asked for, or the arguments
// make no sense, which is said on standard error.
std::optional<int> ParseStandIn(std::string_view program, scheduler_app::FlagSet& flags,
                                const std::vector<std::string>& arguments);

}  // namespace berth::envtest
