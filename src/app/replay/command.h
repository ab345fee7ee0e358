// SPDX-License-Identifier: Apache-2.0
// The command `berth replay`.

#pragma once

#include <CLI/CLI.hpp>

#include "berth/plugin.h"

namespace berth::replay {

// Adds the subcommand to `app`. When it has been parsed, running it puts the exit code into `exit_code`: 0 if every
// step had its recorded effects, 1 if some step had others, 2 for bad input or a damaged log.
void AddCommand(CLI::App& app, const framework::Registry& plugins, int& exit_code);

}  // namespace berth::replay
