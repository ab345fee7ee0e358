// SPDX-License-Identifier: Apache-2.0
// How a profile is made from its configuration.

#include <fmt/format.h>

#include <algorithm>

#include "framework/plugin_expansion.h"
#include "framework/profile.h"

namespace berth::framework {
namespace {

const PluginArgs& ArgsOf(const ProfileConfiguration& configuration, std::string_view name) {
  static const PluginArgs kNone;
  const auto it = std::ranges::find(configuration.plugin_config, name, &PluginConfig::name);
  return it == configuration.plugin_config.end() ? kNone : it->args;
}

template <class Entry>
bool Has(const std::vector<Entry>& entries, const Plugin* plugin) {
  return std::ranges::find(entries, plugin, &Entry::plugin) != entries.end();
}

}  // namespace

Result<std::unique_ptr<Profile>> Profile::Create(const ProfileConfiguration& configuration, const Registry& registry,
                                                 const FeatureGates& gates) {
  std::unique_ptr<Profile> profile(new Profile);
  profile->scheduler_name_ = configuration.scheduler_name;
  profile->percentage_of_nodes_to_score_ = configuration.percentage_of_nodes_to_score;
  profile->run_all_filters_ = configuration.run_all_filters;

  for (const std::string& name : EnabledPluginNames(configuration.plugins)) {
    const PluginRow* row = registry.Find(name);
    if (row == nullptr) return Invalid(fmt::format("plugin {} does not exist", name));
    auto plugin = row->make(PluginContext{ArgsOf(configuration, name), gates, name});
    if (!plugin)
      return Fail(plugin.error().code, fmt::format("initializing plugin \"{}\": {}", name, plugin.error().message));
    if (profile->plugins_.size() >= kNoPlugin) return Fail(Code::kLimit, "a profile can have at most 254 plugins");
    (*plugin)->index_ = profile->plugins_.size();
    profile->plugins_.push_back(*std::move(plugin));
  }

  const ExpandedPlugins expanded =
      BERTH_TRY(ExpandPlugins(configuration.plugins, configuration.scheduler_name, registry));
  const auto fill = [&]<class Point>(ExtensionPoint at, std::vector<At<Point>>& list) {
    for (const ExpandedPlugin& entry : expanded[at]) {
      const Plugin* plugin = profile->Find(entry.name);
      list.push_back({plugin, dynamic_cast<const Point*>(plugin)});
    }
  };
  using enum ExtensionPoint;
  fill(kPreEnqueue, profile->pre_enqueue_);
  fill(kPreFilter, profile->pre_filter_);
  fill(kPostFilter, profile->post_filter_);
  fill(kPreScore, profile->pre_score_);
  fill(kReserve, profile->reserve_);
  fill(kPermit, profile->permit_);
  fill(kPreBind, profile->pre_bind_);
  fill(kBind, profile->bind_);
  fill(kPostBind, profile->post_bind_);
  fill(kPlacementGenerate, profile->placement_generate_);
  fill(kPodGroupPostFilter, profile->pod_group_post_filter_);
  std::vector<At<PlacementScorePlugin>> placement_scores;
  fill(kPlacementScore, placement_scores);
  for (size_t i = 0; i < placement_scores.size(); ++i) {
    profile->placement_score_.emplace_back(placement_scores[i], expanded[kPlacementScore][i].weight);
  }
  // This point cannot be configured: who takes part in it does so wherever it is enabled.
  for (const std::unique_ptr<Plugin>& plugin : profile->plugins_) {
    const auto* point = dynamic_cast<const PlacementFeasiblePlugin*>(plugin.get());
    if (point != nullptr) profile->placement_feasible_.push_back({plugin.get(), point});
  }
  std::vector<At<QueueSortPlugin>> queue_sort;
  fill(kQueueSort, queue_sort);
  profile->queue_sort_ = queue_sort.front().point;
  std::vector<At<FilterPlugin>> filters;
  fill(kFilter, filters);
  for (const At<FilterPlugin>& at : filters) {
    const bool prepared = Has(profile->pre_filter_, at.plugin);
    profile->filter_.push_back({at, prepared ? std::string_view() : at.point->without_pre_filter()});
  }
  std::vector<At<ScorePlugin>> scores;
  fill(kScore, scores);
  for (size_t i = 0; i < scores.size(); ++i) {
    const bool prepared = Has(profile->pre_score_, scores[i].plugin);
    profile->score_.push_back(
        {scores[i], expanded[kScore][i].weight, prepared ? std::string_view() : scores[i].point->without_pre_score()});
  }
  return profile;
}

}  // namespace berth::framework
