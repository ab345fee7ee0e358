// SPDX-License-Identifier: Apache-2.0
// The command `berth snapshot`.

#pragma once

#include <CLI/CLI.hpp>

namespace berth::up {

// Sets `exit_code` when the command was run.
void AddSnapshotCommand(CLI::App& app, int& exit_code);

}  // namespace berth::up
