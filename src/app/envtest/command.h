// SPDX-License-Identifier: Apache-2.0
// The command `berth envtest`.

#pragma once

#include <CLI/CLI.hpp>

namespace berth::envtest {

// Sets `exit_code` when the command was run.
void AddCommand(CLI::App& app, int& exit_code);

}  // namespace berth::envtest
