// SPDX-License-Identifier: Apache-2.0
// From flags to Options: the checks and steps that upstream makes between its command line and its first connection.

#pragma once

#include <string>
#include <vector>

#include "app/scheduler/flags/flag_set.h"
#include "app/scheduler/flags/gates.h"
#include "app/scheduler/flags/options.h"
#include "app/scheduler/flags/scheduler_flags.h"
#include "app/scheduler/flags/versions.h"
#include "base/result.h"

namespace berth::scheduler_app {

// What can be said against the flags without looking at a file of configuration.
Result<void> ValidateFlags(const FlagValues& values, const EffectiveVersion& version, const GateSettings& gates);

// Reads the configuration file, if there is one. Flags about leader election win over it; the deprecated ones count
// only without it. A policy file or a provider is put in place of the profiles; a policy in a ConfigMap is not read
// yet.
Result<Options> CompleteOptions(const FlagSet& flags, const FlagValues& values, const EffectiveVersion& version,
                                const GateSettings& gates, const framework::Registry& plugins = plugins::BuiltIn());

// What logging is to do, with the streams of the chosen format.
LoggingOptions CompleteLogging(const FlagValues& values);

// The files and addresses that are needed before anything can be served or scheduled; those of serving are only
// looked at if something is to be served.
Result<void> CheckSurroundings(const Options& options);

// Whether the times and the lock of leader election can work.
Result<void> CheckLock(const framework::LeaderElectionConfiguration& election);
Result<void> CheckElectionTimes(const framework::LeaderElectionConfiguration& election);

}  // namespace berth::scheduler_app
