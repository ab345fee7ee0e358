// SPDX-License-Identifier: Apache-2.0
// Registry: plugin names and how to make them.
//
// The built-in plugins are listed in plugins/registry.cc; a program adds its own before it builds profiles.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "framework/feature_gates.h"
#include "framework/plugin.h"
#include "framework/plugin_args.h"

namespace berth::framework {

// What a plugin is made from.
struct PluginContext {
  const PluginArgs& args;
  const FeatureGates& gates;
  std::string_view name = {};  // As the profile calls it, for plugins of which there may be several.
};

using PluginFactory = std::function<Result<std::unique_ptr<Plugin>>(const PluginContext&)>;

class Registry {
 public:
  // Fails if the name is taken.
  Result<void> Add(std::string_view name, PluginFactory factory);
  // What makes the plugin called `name`, or nullptr. Plugins of one kind can be told apart by what follows a colon:
  // "Kind:one", "Kind:two".
  const PluginFactory* Find(std::string_view name) const;

 private:
  std::map<std::string, PluginFactory, std::less<>> factories_;
};

}  // namespace berth::framework
