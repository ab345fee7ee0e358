// SPDX-License-Identifier: Apache-2.0
// The command `berth scheduler`, which is also what the program does under the name kube-scheduler.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "berth/plugin.h"

namespace berth::scheduler_app {

// Runs it with the arguments after the command's name, and returns the exit code. `program` is what the usage text
// calls it. REQUIRES: `plugins` outlives the call.
int RunCommand(std::string_view program, std::span<const std::string> arguments, const framework::Registry& plugins);

}  // namespace berth::scheduler_app
