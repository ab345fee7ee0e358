// SPDX-License-Identifier: Apache-2.0
// berth diff: one cluster or one recording under two configurations.

#pragma once

#include <CLI/CLI.hpp>

#include "framework/registry.h"

namespace berth::ask {

void AddDiffCommand(CLI::App& app, const framework::Registry& plugins, int& exit_code);

}  // namespace berth::ask
