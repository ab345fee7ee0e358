// SPDX-License-Identifier: Apache-2.0
// How a legacy plugin takes its arguments.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "framework/registry.h"
#include "plugins/legacy/release.h"

namespace berth::plugins::legacy {

// The arguments of a plugin that has to have some, checked; `type` is upstream's name for them. Where there are none,
// v1.22 fails and v1.21 takes empty ones.
template <class Args>
Result<Args> ArgsAs(const framework::PluginContext& context, std::string_view type, Release release) {
  if (context.args.As<Args>() == nullptr && release == Release::kV122) {
    return Invalid("want args to be of type " + std::string(type) + ", got <nil>");
  }
  Args args = context.args.ValueOr<Args>();
  if constexpr (requires(const framework::ArgsCheck& check) { args.Validate(check); }) {
    framework::FieldErrors errors;
    args.Validate({"", context.gates, errors});
    if (std::optional<Error> error = errors.Join()) return std::unexpected(*std::move(error));
  }
  return args;
}

}  // namespace berth::plugins::legacy
