// SPDX-License-Identifier: Apache-2.0
// berth explain and queue: why pods wait or are where they are, and who waits.

#pragma once

#include <CLI/CLI.hpp>

#include "framework/registry.h"

namespace berth::ask {

void AddExplainCommands(CLI::App& app, const framework::Registry& plugins, int& exit_code);

}  // namespace berth::ask
