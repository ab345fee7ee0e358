// SPDX-License-Identifier: Apache-2.0
#include "framework/plugin_expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "api/document/field_error.h"

namespace berth::framework {
namespace {

constexpr int64_t kMaxScore = 100;

bool Contains(const std::vector<PluginReference>& references, std::string_view name) {
  return std::ranges::find(references, name, &PluginReference::name) != references.end();
}

Result<PointSet> PointsOf(const Registry& registry, const std::string& name, ExtensionPoint point) {
  const PluginRow* row = registry.Find(name);
  if (row == nullptr) return Invalid(fmt::format("{} {} does not exist", NamesOf(point).type, api::GoQuote(name)));
  return row->points;
}

std::unexpected<Error> RegisteredTwice(const std::string& name, ExtensionPoint point) {
  return Invalid(fmt::format("plugin {} already registered as \"{}\"", api::GoQuote(name), NamesOf(point).type));
}

// The plugins listed for the point itself.
Result<std::vector<ExpandedPlugin>> ListedPlugins(const Plugins& plugins, ExtensionPoint point,
                                                  const Registry& registry) {
  std::vector<ExpandedPlugin> listed;
  std::set<std::string_view> seen;
  for (const PluginReference& plugin : plugins[point].enabled) {
    if (!BERTH_TRY(PointsOf(registry, plugin.name, point)).Has(point)) {
      return Invalid(
          fmt::format("plugin {} does not extend {} plugin", api::GoQuote(plugin.name), NamesOf(point).type));
    }
    if (!seen.insert(plugin.name).second) return RegisteredTwice(plugin.name, point);
    listed.push_back({plugin.name, 0});
  }
  return listed;
}

// Merges the multiPoint plugins into the `listed` ones of a point.
Result<std::vector<ExpandedPlugin>> WithMultiPoint(const Plugins& plugins, ExtensionPoint point,
                                                   const Registry& registry, std::vector<ExpandedPlugin> listed) {
  const std::vector<PluginReference>& disabled = plugins[point].disabled;
  if (Contains(disabled, "*")) return listed;

  std::vector<ExpandedPlugin> added;
  std::set<std::string_view> seen;
  for (const PluginReference& plugin : plugins.multi_point.enabled) {
    if (!BERTH_TRY(PointsOf(registry, plugin.name, point)).Has(point)) continue;
    if (Contains(disabled, plugin.name)) continue;
    const bool is_new = seen.insert(plugin.name).second;
    if (Contains(plugins[point].enabled, plugin.name)) continue;
    if (!is_new) return RegisteredTwice(plugin.name, point);
    added.push_back({plugin.name, 0});
  }

  const auto others =
      std::ranges::stable_partition(listed, [&](const ExpandedPlugin& plugin) { return seen.contains(plugin.name); });
  listed.insert(others.begin(), added.begin(), added.end());
  return listed;
}

// Sets the weights of a scoring point: the point's own weight wins over that of multiPoint, 0 becomes 1. The total is
// taken over all plugins that could score, also those disabled at the point.
Result<void> SetWeights(const Plugins& plugins, ExtensionPoint point, const Registry& registry,
                        std::vector<ExpandedPlugin>& expanded) {
  std::map<std::string_view, int32_t> weights;
  int64_t total = 0;
  for (const auto* references : {&plugins[point].enabled, &plugins.multi_point.enabled}) {
    for (const PluginReference& plugin : *references) {
      const PluginRow* row = registry.Find(plugin.name);
      if (row == nullptr || !row->points.Has(point)) continue;
      const int32_t weight = plugin.weight == 0 ? 1 : plugin.weight;
      if (!weights.try_emplace(plugin.name, weight).second) continue;
      // Upstream's check itself wraps round when negative weights came before, and then fails as well.
      if (total < 0 || weight * kMaxScore > std::numeric_limits<int64_t>::max() - total) {
        return Invalid(fmt::format("{}score plugins: total score of Score plugins could overflow",
                                   point == ExtensionPoint::kPlacementScore ? "placement " : ""));
      }
      total += weight * kMaxScore;
    }
  }
  for (ExpandedPlugin& plugin : expanded) plugin.weight = weights.at(plugin.name);
  return {};
}

Result<void> CheckCounts(const ExpandedPlugins& expanded, std::string_view scheduler_name) {
  const size_t queue_sorts = expanded[ExtensionPoint::kQueueSort].size();
  if (queue_sorts != 1) {
    return Invalid(fmt::format("only one queue sort plugin required for profile with scheduler name {}, but got {}",
                               api::GoQuote(scheduler_name), queue_sorts));
  }
  if (expanded[ExtensionPoint::kBind].empty()) {
    return Invalid(fmt::format("at least one bind plugin is needed for profile with scheduler name {}",
                               api::GoQuote(scheduler_name)));
  }
  if (expanded[ExtensionPoint::kPlacementGenerate].size() > 1) {
    return Invalid(fmt::format("at most one placement generate plugin is allowed for profile with scheduler name {}",
                               api::GoQuote(scheduler_name)));
  }
  return {};
}

}  // namespace

std::vector<std::string> EnabledPluginNames(const Plugins& plugins) {
  std::set<std::string> names;
  for (const PluginReference& plugin : plugins.multi_point.enabled) names.insert(plugin.name);
  for (const PluginSet& set : plugins.points) {
    for (const PluginReference& plugin : set.enabled) names.insert(plugin.name);
  }
  return {names.begin(), names.end()};
}

bool Enables(const SchedulerConfiguration& configuration, std::string_view plugin) {
  return std::ranges::any_of(configuration.profiles, [&](const ProfileConfiguration& profile) {
    return std::ranges::binary_search(EnabledPluginNames(profile.plugins), plugin);
  });
}

Result<ExpandedPlugins> ExpandPlugins(const Plugins& plugins, std::string_view scheduler_name,
                                      const Registry& registry) {
  ExpandedPlugins expanded;
  const auto at = [&](ExtensionPoint point) -> std::vector<ExpandedPlugin>& {
    return expanded.points[static_cast<size_t>(point)];
  };
  for (const ExtensionPoint point : kExtensionPoints) at(point) = BERTH_TRY(ListedPlugins(plugins, point, registry));
  for (const ExtensionPoint point : kExtensionPoints) {
    at(point) = BERTH_TRY(WithMultiPoint(plugins, point, registry, std::move(at(point))));
  }
  BERTH_CHECK_OK(CheckCounts(expanded, scheduler_name));
  for (const ExtensionPoint point : {ExtensionPoint::kScore, ExtensionPoint::kPlacementScore}) {
    BERTH_CHECK_OK(SetWeights(plugins, point, registry, at(point)));
  }
  return expanded;
}

}  // namespace berth::framework
