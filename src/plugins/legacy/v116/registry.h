// SPDX-License-Identifier: Apache-2.0
// The predicates and priorities of v1.16 as plugins.

#pragma once

#include "framework/registry.h"

namespace berth::plugins {

// Adds them to the built-in plugins. Names have nothing in common with those of RegisterLegacyPlugins.
void RegisterV116Plugins(framework::Registry& registry);

}  // namespace berth::plugins
