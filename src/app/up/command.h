// SPDX-License-Identifier: Apache-2.0
// The command `berth up`.

#pragma once

#include <CLI/CLI.hpp>

#include "berth/plugin.h"

namespace berth::up {

// Sets `exit_code` when the command was run.
void AddCommand(CLI::App& app, const framework::Registry& plugins, int& exit_code);

}  // namespace berth::up
