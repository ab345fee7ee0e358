// SPDX-License-Identifier: Apache-2.0
#include "app/built_in_plugins.h"

#include "plugins/registry.h"

namespace berth::app {

const PluginSet& BuiltInPlugins() {
  static const PluginSet plugins(plugins::BuiltIn());
  return plugins;
}

}  // namespace berth::app
