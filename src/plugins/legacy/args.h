// SPDX-License-Identifier: Apache-2.0
// How a legacy plugin takes its arguments.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "framework/plugin_args.h"
#include "plugins/legacy/release.h"

namespace berth::plugins::legacy {

// The arguments of a plugin that has to have some; `type` is upstream's name for them. Where there are none, v1.22
// fails and v1.21 takes empty ones.
template <class Args>
Result<Args> ArgsAs(const framework::PluginArgs& args, std::string_view type, Release release) {
  if (const Args* own = std::get_if<Args>(&args)) return *own;
  if (release == Release::kV121) return Args();
  return Invalid("want args to be of type " + std::string(type) + ", got <nil>");
}

}  // namespace berth::plugins::legacy
