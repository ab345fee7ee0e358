// SPDX-License-Identifier: Apache-2.0
// The public plugin API: what the author of a plugin outside this repository includes.
//
// A plugin is a class that derives from framework::Plugin and from one interface per extension point (FilterPlugin,
// ScorePlugin, ...), has a static kName and a static Create. A program adds it to the built-in ones and is the whole of
// berth with it (berth/main.h), or drives a core of its own:
//
//   PluginSet plugins(plugins::BuiltIn());
//   BERTH_CHECK_OK(plugins.Add<MyPlugin>());
//   configuration = BERTH_TRY(config::Load(text, gates, plugins.points_of()));
//   core = BERTH_TRY(scheduler::Core::Create(configuration, plugins.registry(), gates, std::move(chooser), now));
//
// docs/plugin-guide.md goes through it step by step with the plugin in examples/plugin.
//
// What the headers below say of Plugin and the extension points, Status, Cycle, Candidates, Scores, Effects,
// PluginArgs, Registry and FeatureGates, and of reading the Cluster, its NodeTable and PodInfo, is the API. Everything
// else may change between versions.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "api/field_reader.h"
#include "api/value.h"
#include "base/result.h"
#include "base/time.h"
#include "cluster/cluster.h"
#include "framework/extension_points.h"
#include "framework/plugin.h"
#include "framework/plugin_args.h"
#include "framework/plugin_expansion.h"
#include "framework/registry.h"

namespace berth {

// The extension points whose interfaces `P` derives from.
template <class P>
constexpr framework::PointSet PointsOf() {
  using enum framework::ExtensionPoint;
  framework::PointSet points;
  if (std::is_base_of_v<framework::QueueSortPlugin, P>) points.Add(kQueueSort);
  if (std::is_base_of_v<framework::PreEnqueuePlugin, P>) points.Add(kPreEnqueue);
  if (std::is_base_of_v<framework::PreFilterPlugin, P>) points.Add(kPreFilter);
  if (std::is_base_of_v<framework::FilterPlugin, P>) points.Add(kFilter);
  if (std::is_base_of_v<framework::PostFilterPlugin, P>) points.Add(kPostFilter);
  if (std::is_base_of_v<framework::PreScorePlugin, P>) points.Add(kPreScore);
  if (std::is_base_of_v<framework::ScorePlugin, P>) points.Add(kScore);
  if (std::is_base_of_v<framework::ReservePlugin, P>) points.Add(kReserve);
  if (std::is_base_of_v<framework::PermitPlugin, P>) points.Add(kPermit);
  if (std::is_base_of_v<framework::PreBindPlugin, P>) points.Add(kPreBind);
  if (std::is_base_of_v<framework::BindPlugin, P>) points.Add(kBind);
  if (std::is_base_of_v<framework::PostBindPlugin, P>) points.Add(kPostBind);
  return points;
}

// The plugins that a program knows: the built-in ones and its own. It must outlive what points_of() returns.
class PluginSet {
 public:
  explicit PluginSet(framework::Registry built_in) : registry_(std::move(built_in)) {}
  PluginSet(const PluginSet&) = delete;
  PluginSet& operator=(const PluginSet&) = delete;

  // Adds P under P::kName; P::Create makes one for each profile that enables it. Fails if the name is taken.
  template <class P>
  Result<void> Add() {
    static_assert(std::is_base_of_v<framework::Plugin, P>);
    BERTH_CHECK_OK(registry_.Add(P::kName, P::Create));
    points_.emplace(P::kName, PointsOf<P>());
    return {};
  }

  // For Core::Create.
  const framework::Registry& registry() const { return registry_; }

  // For config::Load: where each plugin can be enabled.
  framework::PluginPoints points_of() const {
    return [this](std::string_view name) {
      const auto own = points_.find(name);
      return own == points_.end() ? framework::BuiltInPluginPoints(name) : std::optional(own->second);
    };
  }

 private:
  framework::Registry registry_;
  std::map<std::string, framework::PointSet, std::less<>> points_;  // Of the plugins that were added.
};

}  // namespace berth
