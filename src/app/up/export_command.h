// SPDX-License-Identifier: Apache-2.0
// The command `berth export`.

#pragma once

#include <CLI/CLI.hpp>

namespace berth::up {

// Sets `exit_code` when the command was run.
void AddExportCommand(CLI::App& app, int& exit_code);

}  // namespace berth::up
