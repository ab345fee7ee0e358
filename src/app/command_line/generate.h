// SPDX-License-Identifier: Apache-2.0
// The commands `berth completion` and `berth man`, which print what is made of the tables of flags.

#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "app/command_line/command.h"

namespace berth::command_line {

// `describe` is asked for the whole program when one of them is run.
void AddGenerateCommands(CLI::App& app, std::function<Command()> describe, int& exit_code);

}  // namespace berth::command_line
