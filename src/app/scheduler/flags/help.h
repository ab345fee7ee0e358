// SPDX-License-Identifier: Apache-2.0
// The help text of a flag set, in the layout of Kubernetes' components.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/command_line/command.h"
#include "app/scheduler/flags/flag_set.h"

namespace berth::scheduler_app {

// `Usage:` and the sections. With `columns` at 0 each description begins beside its flag and is not wrapped; else
// descriptions stand below their flags, wrapped at that width.
std::string UsageText(std::string_view program, const FlagSet& flags, size_t columns);

// The same below a paragraph about the program.
std::string HelpText(std::string_view program, const FlagSet& flags, size_t columns);

// The command as completion and manual pages see it.
command_line::Command DescribeCommand();

}  // namespace berth::scheduler_app
