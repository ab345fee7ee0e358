// SPDX-License-Identifier: Apache-2.0
// The built-in plugins.

#pragma once

#include "framework/registry.h"

namespace berth::plugins {

// A registry that holds every built-in plugin.
framework::Registry BuiltIn();

}  // namespace berth::plugins
