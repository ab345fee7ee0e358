// SPDX-License-Identifier: Apache-2.0
// Run: parses the arguments of the program and runs the command that they name.

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace berth::command_line {

inline constexpr int kExitUsage = 2;

// Returns 0 when the command was run, or help or `version` printed. For arguments that make no sense it says why on
// standard error, with the word that was probably meant, and returns kExitUsage. What a command throws passes through.
int Run(CLI::App& app, const std::vector<std::string>& arguments, const std::string& version);

}  // namespace berth::command_line
