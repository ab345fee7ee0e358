// SPDX-License-Identifier: Apache-2.0
// Profile: the plugins of one scheduler name, and how each extension point is run.
//
// Order, Skip, early ends and error texts follow upstream's framework runtime.
//
// Thread: core. A profile holds no state of a cycle; everything is in the Cycle that is passed in.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/configuration.h"
#include "framework/diagnosis.h"
#include "framework/group.h"
#include "framework/observer.h"
#include "framework/plugin.h"
#include "framework/registry.h"
#include "framework/scores.h"

namespace berth::framework {

// What PreFilter plugins leave of the nodes.
struct PreFilterOutcome {
  Status status;                                       // Rejection or error; `plugin` says whose.
  std::optional<std::vector<std::string>> node_names;  // Absent: all nodes. Sorted.
  std::vector<std::string> narrowing_plugins;          // Those that returned node names; sorted.
};

// The scores of one plugin, after normalisation and before the weight.
struct PluginScores {
  const Plugin* plugin = nullptr;
  int64_t weight = 1;
  Scores scores;
};

// Everything about scoring one pod's feasible nodes.
struct ScoreBoard {
  std::vector<PluginScores> plugins;  // Those that scored, in profile order. Reused between cycles.
  size_t plugin_count = 0;            // Entries of `plugins` in use.
  std::vector<int64_t> totals;        // Weighted sums, in the order of the nodes.

  PluginScores& Add(const Plugin& plugin, int64_t weight) {
    if (plugins.size() == plugin_count) plugins.emplace_back();
    PluginScores& column = plugins[plugin_count++];
    column.plugin = &plugin;
    column.weight = weight;
    return column;
  }
};

class Profile {
 public:
  // A plugin at one extension point.
  template <class Point>
  struct At {
    const Plugin* plugin = nullptr;
    const Point* point = nullptr;
  };
  // `error` is not empty where the profile disables a step before that the plugin cannot do without.
  struct FilterEntry {
    At<FilterPlugin> at;
    std::string_view error;
  };
  struct ScoreEntry {
    At<ScorePlugin> at;
    int64_t weight = 1;
    std::string_view error;
  };

  static Result<std::unique_ptr<Profile>> Create(const ProfileConfiguration& configuration, const Registry& registry,
                                                 const FeatureGates& gates);

  const std::string& scheduler_name() const { return scheduler_name_; }
  size_t plugin_count() const { return plugins_.size(); }
  const Plugin& plugin(size_t index) const { return *plugins_[index]; }
  // The plugin called `name`, or nullptr.
  const Plugin* Find(std::string_view name) const;

  const QueueSortPlugin& queue_sort() const { return *queue_sort_; }
  bool has_filters() const { return !filter_.empty(); }
  bool has_post_filters() const { return !post_filter_.empty(); }
  bool has_scores() const { return !score_.empty(); }
  std::optional<int32_t> percentage_of_nodes_to_score() const { return percentage_of_nodes_to_score_; }

  // Hears of every run from now on; nullptr: nobody does.
  void set_observer(Observer* observer) { observer_ = observer; }
  Observer* observer() const { return observer_; }

  // The first plugin that keeps the pod out of the queue, or Success. `ask_first` is asked before the others, if there
  // is one.
  Status RunPreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster,
                       const Plugin* ask_first = nullptr) const;

  PreFilterOutcome RunPreFilter(Cycle& cycle) const;

  // Runs all filters over the candidates, two passes where pods are nominated to a node. An internal error is in
  // candidates.error().
  void RunFilters(Cycle& cycle, Candidates& candidates) const;
  // The same for one node in its present state (see NodeTrial).
  Status RunFiltersOnNode(Cycle& cycle, NodeSlot node) const;
  // The filter that counts room, if there is one and no other filter of this cycle minds the pods on a node (see
  // PodInfluence); otherwise nullptr.
  const FilterPlugin* RoomFilter(const Cycle& cycle) const;
  // Runs the filters that do not mind the pods on nodes.
  void RunFiltersWithoutPods(Cycle& cycle, Candidates& candidates) const;

  PostFilterResult RunPostFilter(Cycle& cycle, const Diagnosis& diagnosis, Effects& effects) const;

  // PreScore, Score, Normalize and the weighted sum for `nodes`.
  Status RunScores(Cycle& cycle, std::span<const NodeSlot> nodes, ScoreBoard& board) const;

  // The steps of the same for one plugin: raw scores, then what Normalize makes of them, checked.
  Status RunScore(const ScoreEntry& entry, Cycle& cycle, std::span<const NodeSlot> nodes, Scores& scores) const;
  Status RunNormalize(const ScoreEntry& entry, Cycle& cycle, std::span<const NodeSlot> nodes, Scores& scores) const;

  // How the plugins take part for one pod where nodes are kept in order.
  struct RankPlan {
    enum class Part : uint8_t {
      kNode,    // A score by node, as it is added up.
      kRaw,     // A score by node, which Normalize compares with those of others.
      kTraits,  // A score by traits.
    };
    struct Score {
      const ScoreEntry* entry = nullptr;
      Part part = Part::kNode;
      bool operator==(const Score&) const = default;
    };
    std::vector<const FilterEntry*> node_filters;
    std::vector<const FilterEntry*> trait_filters;
    std::vector<Score> scores;  // In profile order.
    std::vector<const TraitPlugin*> traits;
    TraitPlugin::Sources sources;
    const ScorePlugin* fine = nullptr;  // Who tells equal totals apart; nullptr: nobody.

    void Clear();
    // False if the plugin does not name its traits for this pod.
    bool AddTraits(Cycle& cycle, const Plugin& plugin);
    // Whether what was kept by this plan stands for another pod of the same template.
    bool SameTables(const RankPlan& other) const {
      return node_filters == other.node_filters && scores == other.scores && traits == other.traits &&
             sources == other.sources;
    }
  };
  // False where some plugin depends on more than nodes and their traits. PreScore has run for the plugins that look at
  // nodes alone. REQUIRES: PreFilter has run.
  bool PlanRanking(Cycle& cycle, RankPlan& plan) const;
  // False after an internal error.
  bool RunFilters(std::span<const FilterEntry* const> entries, Cycle& cycle, Candidates& candidates) const;
  // PreScore of all plugins, or of one.
  Status PreScore(Cycle& cycle, std::span<const NodeSlot> nodes, const Plugin* of = nullptr) const;

  // Of nodes with the same total, keeps those that are ahead before scores are truncated; never none. See ScorePlugin.
  void NarrowTie(Cycle& cycle, std::vector<NodeSlot>& nodes) const;

  // On failure every Unreserve has been run already, with these effects.
  Status RunReserve(Cycle& cycle, NodeSlot node, Effects& effects) const;
  void RunUnreserve(Cycle& cycle, NodeSlot node, Effects& effects) const;

  // Groups. The worst that plugins say: Success, Wait, Unschedulable or an error.
  Status RunPlacementFeasible(const GroupNode& group, const PlacementProgress& progress) const;
  // The most that a plugin of a group asks for; see PlacementFeasiblePlugin.
  size_t search_steps() const;
  // The placements within `parent`; a rejection if there are none.
  Status RunPlacementGenerate(const GroupNode& group, const Placement& parent, const cluster::Cluster& cluster,
                              std::vector<Placement>& placements) const;
  // A placement that is feasible, with what goes there.
  struct PlacementOption {
    const Placement* placement = nullptr;
    std::vector<ProposedAssignment> assignments;
    int64_t score = 0;  // Becomes the weighted sum.
  };
  Status RunPlacementScores(const GroupNode& group, const cluster::Cluster& cluster,
                            std::vector<PlacementOption>& options) const;
  GroupPostFilterResult RunPodGroupPostFilter(FailedGroup& group, Effects& effects) const;

  struct PermitOutcome {
    Status status;                                        // Success, Wait or a rejection.
    std::vector<std::pair<std::string, Duration>> waits;  // Plugins that asked to wait, with their timeouts.
  };
  PermitOutcome RunPermit(Cycle& cycle, NodeSlot node) const;

  // Success if some plugin will do work in PreBind, Skip if none will.
  Status RunPreBindPreFlight(Cycle& cycle, NodeSlot node) const;
  // `since`: when it was called first, for the observer of plugins. Who calls these two reports the runs, which end
  // with an answer. `askers` become the plugins that asked for the effects.
  Status RunPreBind(Cycle& cycle, NodeSlot node, Time now, Effects& effects, std::vector<const Plugin*>& askers,
                    Moment since = {}) const;
  // On success the status names the plugin that took the pod.
  Status RunBind(Cycle& cycle, NodeSlot node, Effects& effects) const;
  void RunPostBind(Cycle& cycle, NodeSlot node) const;
  // Drops the states of plugins that have no part in the binding: what they know of every node is large, and a binding
  // may take long.
  void DropDecisionStates(Cycle& cycle) const;

  // Tells every plugin with pre-filter state about a pod that is tried out; used by NodeTrial.
  Status RunAddPod(Cycle& cycle, const cluster::PodInfo& pod, NodeSlot node) const;
  Status RunRemovePod(Cycle& cycle, const cluster::PodInfo& pod, NodeSlot node) const;

 private:
  Profile() = default;
  PreFilterOutcome PreFilter(Cycle& cycle) const;
  void Filter(Cycle& cycle, Candidates& candidates) const;
  void RunFiltersOnce(Cycle& cycle, Candidates& candidates) const;
  // Every filter on every node, whatever others say; the reasons of all are collected.
  void RunAllFiltersOnce(Cycle& cycle, Candidates& candidates) const;
  // False after an internal error.
  bool RunFilter(const FilterEntry& entry, Cycle& cycle, Candidates& candidates) const;
  PostFilterResult PostFilter(Cycle& cycle, const Diagnosis& diagnosis, Effects& effects) const;
  Status Score(Cycle& cycle, std::span<const NodeSlot> nodes, ScoreBoard& board) const;
  Status Reserve(Cycle& cycle, NodeSlot node) const;
  PermitOutcome Permit(Cycle& cycle, NodeSlot node) const;
  Status PreBindPreFlight(Cycle& cycle, NodeSlot node) const;

  // Runs something and tells the observer, if there is one.
  template <class Run>
  auto Observe(RunPoint point, Run run) const {
    if (observer_ == nullptr) return run();
    const Moment since = observer_->Start();
    auto result = run();
    observer_->PointRan(*this, point, CodeOf(result), since);
    return result;
  }
  template <class Run>
  auto ObservePlugin(const Plugin& plugin, RunPoint point, size_t nodes, Run run) const {
    if (observer_ == nullptr) return run();
    // Plugins that make room run seldom and long: each time counts.
    const bool makes_room = point == RunPoint::kPostFilter || point == RunPoint::kPodGroupPostFilter;
    const Moment since = makes_room ? observer_->Start() : observer_->StartPlugin();
    auto result = run();
    observer_->PluginRan(*this, plugin, point, CodeOf(result), nodes, since);
    return result;
  }
  static StatusCode CodeOf(const Status& status) { return status.code; }
  template <class Outcome>
  static StatusCode CodeOf(const Outcome& outcome) {
    return outcome.status.code;
  }

  Status ScorePlacements(const GroupNode& group, const cluster::Cluster& cluster,
                         std::vector<PlacementOption>& options) const;
  GroupPostFilterResult MakeRoom(FailedGroup& group, Effects& effects) const;

  Observer* observer_ = nullptr;
  std::string scheduler_name_;
  std::optional<int32_t> percentage_of_nodes_to_score_;
  bool run_all_filters_ = false;
  std::vector<std::unique_ptr<Plugin>> plugins_;
  const QueueSortPlugin* queue_sort_ = nullptr;
  std::vector<At<PreEnqueuePlugin>> pre_enqueue_;
  std::vector<At<PreFilterPlugin>> pre_filter_;
  std::vector<FilterEntry> filter_;
  std::vector<At<PostFilterPlugin>> post_filter_;
  std::vector<At<PreScorePlugin>> pre_score_;
  std::vector<ScoreEntry> score_;
  std::vector<At<ReservePlugin>> reserve_;
  std::vector<At<PermitPlugin>> permit_;
  std::vector<At<PreBindPlugin>> pre_bind_;
  std::vector<At<BindPlugin>> bind_;
  std::vector<At<PostBindPlugin>> post_bind_;
  std::vector<At<PlacementFeasiblePlugin>> placement_feasible_;
  std::vector<At<PlacementGeneratePlugin>> placement_generate_;
  std::vector<std::pair<At<PlacementScorePlugin>, int64_t>> placement_score_;  // With their weights.
  std::vector<At<PodGroupPostFilterPlugin>> pod_group_post_filter_;
};

// Tries out changes to the pods of one node. Everything is as before when it goes out of scope. Of pods that belong to
// them on other nodes only the plugins hear.
class NodeTrial {
 public:
  NodeTrial(const Profile& profile, Cycle& cycle, NodeSlot node);
  ~NodeTrial();
  NodeTrial(const NodeTrial&) = delete;
  NodeTrial& operator=(const NodeTrial&) = delete;

  // A failure means an internal error of a plugin's extension.
  Status Add(const cluster::PodPtr& pod) { return Add(pod, node_); }
  Status Remove(const cluster::PodPtr& pod) { return Remove(pod, node_); }
  Status Add(const cluster::PodPtr& pod, NodeSlot node);
  Status Remove(const cluster::PodPtr& pod, NodeSlot node);

 private:
  struct Change {
    cluster::PodPtr pod;
    NodeSlot node;
    bool added = false;
  };
  const Profile& profile_;
  Cycle& cycle_;
  NodeSlot node_;
  cluster::NodeTable::SavedRow saved_;
  std::vector<Change> changes_;
};

}  // namespace berth::framework
