// SPDX-License-Identifier: Apache-2.0
// Registry: the plugins that a program knows, one row for each.
//
// A row is all that the rest of Berth knows of a plugin: configuration, profiles and input logs go by it. RowOf makes
// it from the plugin's class. The built-in plugins are listed in plugins/registry.cc; a program adds its own.

#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "framework/extension_points.h"
#include "framework/feature_gates.h"
#include "framework/group.h"
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

// How a plugin that the default configuration enables stands there.
struct DefaultUse {
  int32_t weight = 0;             // 0: it does not score.
  std::optional<Gate> gate = {};  // Only if this is on.
};

struct PluginRow {
  std::string name;
  PointSet points;
  PluginFactory make = {};
  const ArgsType* args = nullptr;      // Null: what arguments it takes is not known.
  std::optional<DefaultUse> use = {};  // Absent: a profile has to ask for it.
  bool several = false;                // There may be several, called "name:one", "name:two".
};

// The extension points whose interfaces `P` derives from.
template <class P>
constexpr PointSet PointsOf() {
  using enum ExtensionPoint;
  PointSet points;
  if (std::derived_from<P, QueueSortPlugin>) points.Add(kQueueSort);
  if (std::derived_from<P, PreEnqueuePlugin>) points.Add(kPreEnqueue);
  if (std::derived_from<P, PreFilterPlugin>) points.Add(kPreFilter);
  if (std::derived_from<P, FilterPlugin>) points.Add(kFilter);
  if (std::derived_from<P, PostFilterPlugin>) points.Add(kPostFilter);
  if (std::derived_from<P, PreScorePlugin>) points.Add(kPreScore);
  if (std::derived_from<P, ScorePlugin>) points.Add(kScore);
  if (std::derived_from<P, ReservePlugin>) points.Add(kReserve);
  if (std::derived_from<P, PermitPlugin>) points.Add(kPermit);
  if (std::derived_from<P, PreBindPlugin>) points.Add(kPreBind);
  if (std::derived_from<P, BindPlugin>) points.Add(kBind);
  if (std::derived_from<P, PostBindPlugin>) points.Add(kPostBind);
  if (std::derived_from<P, PlacementGeneratePlugin>) points.Add(kPlacementGenerate);
  if (std::derived_from<P, PlacementScorePlugin>) points.Add(kPlacementScore);
  if (std::derived_from<P, PodGroupPostFilterPlugin>) points.Add(kPodGroupPostFilter);
  return points;
}

// The row of `P` under another name than P::kName, made by another function than P::Create.
template <class P>
PluginRow RowOf(std::string_view name, PluginFactory make) {
  static_assert(std::derived_from<P, Plugin>);
  PluginRow row{.name = std::string(name), .points = PointsOf<P>(), .make = std::move(make)};
  if constexpr (requires { typename P::Args; }) row.args = &kArgsType<typename P::Args>;
  return row;
}

// The row of `P`, which P::Create makes; without Create it is made of its arguments, or of nothing.
template <class P>
PluginRow RowOf() {
  return RowOf<P>(P::kName, [](const PluginContext& context) -> Result<std::unique_ptr<Plugin>> {
    if constexpr (requires { P::Create(context); }) {
      return P::Create(context);
    } else if constexpr (requires(typename P::Args args) { P(args); }) {
      return std::make_unique<P>(context.args.ValueOr<typename P::Args>());
    } else {
      return std::make_unique<P>();
    }
  });
}

class Registry {
 public:
  // Fails if the name is taken.
  Result<void> Add(PluginRow row);
  template <class P>
  Result<void> Add() {
    return Add(RowOf<P>());
  }

  // The row of the plugin called `name`, or nullptr.
  const PluginRow* Find(std::string_view name) const;
  // In the order in which they were added.
  std::span<const PluginRow> rows() const { return rows_; }

 private:
  std::vector<PluginRow> rows_;
};

}  // namespace berth::framework
