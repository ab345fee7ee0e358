// SPDX-License-Identifier: Apache-2.0
// The flags of `berth scheduler`: those of kube-scheduler 1.37, those that it had up to v1.22, and Berth's own.

#pragma once

#include <string>
#include <vector>

#include "app/scheduler/flags/flag_bindings.h"
#include "app/scheduler/flags/flag_set.h"
#include "app/scheduler/flags/options.h"
#include "app/scheduler/flags/validate.h"

namespace berth::scheduler_app {

// The variables behind the flags. Where a flag is not simply a part of Options, it has one here.
struct FlagValues {
  Options options;
  LoggingFlags logging;
  // Of these only what flags can say: leader election, client connection, profiling, stay among the unschedulable.
  framework::SchedulerConfiguration configuration;
  LegacyFlags legacy;
  std::vector<std::string> emulated_versions;
  std::vector<std::string> min_compatibility_versions;
  GatesByComponent gates;
  bool help = false;
  std::string version = "false";
};

// `values` must outlive `flags`.
void DefineFlags(FlagSet& flags, FlagValues& values);

}  // namespace berth::scheduler_app
