// SPDX-License-Identifier: Apache-2.0
// The plugins that only a legacy Policy can enable, as v1.21 and v1.22 had them.

#pragma once

#include "framework/registry.h"
#include "plugins/legacy/release.h"

namespace berth::plugins {

// Adds them to the built-in ones.
void RegisterLegacyPlugins(framework::Registry& registry, legacy::Release release = legacy::Release::kV122);

}  // namespace berth::plugins
