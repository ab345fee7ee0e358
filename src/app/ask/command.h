// SPDX-License-Identifier: Apache-2.0
// berth plan, what-if, capacity and diff: questions about a cluster.

#pragma once

#include <CLI/CLI.hpp>

#include "framework/registry.h"

namespace berth::ask {

void AddCommands(CLI::App& app, const framework::Registry& plugins, int& exit_code);

}  // namespace berth::ask
