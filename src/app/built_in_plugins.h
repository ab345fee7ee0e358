// SPDX-License-Identifier: Apache-2.0
// The plugins of a program that was given no others.

#pragma once

#include "berth/plugin.h"

namespace berth::app {

const PluginSet& BuiltInPlugins();

}  // namespace berth::app
