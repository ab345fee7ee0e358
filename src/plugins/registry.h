// SPDX-License-Identifier: Apache-2.0
// The built-in plugins.

#pragma once

#include "framework/registry.h"

namespace berth::plugins {

// Every built-in plugin, in the order of the default configuration.
const framework::Registry& BuiltIn();

}  // namespace berth::plugins
