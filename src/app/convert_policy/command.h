// SPDX-License-Identifier: Apache-2.0
// The command `berth convert-policy`.

#pragma once

#include <CLI/CLI.hpp>

namespace berth::convert_policy {

// Adds the subcommand to `app`. When it has been parsed, running it puts the exit code into `exit_code`: 0 if a
// configuration was printed, 2 for a bad policy, 3 with --strict if something has no equivalent.
void AddCommand(CLI::App& app, int& exit_code);

}  // namespace berth::convert_policy
