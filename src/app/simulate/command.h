// SPDX-License-Identifier: Apache-2.0
// The command `berth simulate`.

#pragma once

#include <CLI/CLI.hpp>

#include "berth/plugin.h"

namespace berth::simulate {

// Adds the subcommand to `app`. When it has been parsed, running it puts the exit code into `exit_code`: 0 if every pod
// has a place, 1 if some pod has none, 2 for bad input.
void AddCommand(CLI::App& app, const framework::Registry& plugins, int& exit_code);

}  // namespace berth::simulate
