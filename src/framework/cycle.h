// SPDX-License-Identifier: Apache-2.0
// Cycle: one attempt to schedule one pod, as plugins see it.
//
// A plugin keeps what it computed in PreFilter or PreScore as its state object and finds it again in Filter, Score,
// Reserve and so on. State objects live until the next cycle of the same kind begins. What saves work in later cycles
// it finds in kept(). Nothing else of a plugin may change during a cycle.
//
// Thread: core.

#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/time.h"
#include "cluster/cluster.h"
#include "framework/candidates.h"
#include "framework/chooser.h"
#include "framework/parallelizer.h"
#include "framework/preemption.h"
#include "framework/waiting_pods.h"

namespace berth::framework {

class Plugin;

// What a plugin remembers within a cycle, or keeps for the next.
class PluginState {
 public:
  virtual ~PluginState() = default;
};

class Observer;

// What the scheduler keeps from one cycle to the next: large arrays, what plugins keep, who runs loops in parallel, and
// who listens.
struct CycleBuffers {
  Candidates candidates;
  Candidates scratch;
  boost::unordered_flat_map<const Plugin*, std::unique_ptr<PluginState>> kept;  // See Cycle::kept.
  Parallelizer* parallelizer = nullptr;                                         // Null: nobody.
  Observer* observer = nullptr;                                                 // Null: nobody.
};

class Cycle {
 public:
  Cycle(cluster::PodPtr pod, cluster::Cluster& cluster, const Chooser& chooser, CycleBuffers& buffers,
        size_t plugin_count)
      : pod_(std::move(pod)),
        cluster_(cluster),
        chooser_(chooser),
        buffers_(buffers),
        states_(plugin_count),
        skip_filter_(plugin_count),
        skip_score_(plugin_count) {}
  Cycle(const Cycle&) = delete;
  Cycle& operator=(const Cycle&) = delete;

  // The pod being scheduled.
  const cluster::PodInfo& pod() const { return *pod_; }
  const cluster::PodPtr& pod_ptr() const { return pod_; }
  const cluster::Cluster& cluster() const { return cluster_; }
  const cluster::NodeTable& nodes() const { return cluster_.nodes(); }
  const Chooser& chooser() const { return chooser_; }

  // The state of the plugin with this index (Plugin::index()), or nullptr.
  template <class State>
  State* state(size_t plugin) const {
    return static_cast<State*>(states_[plugin].get());
  }
  // Replaces the plugin's state with a new State(args...) and returns it.
  template <class State, class... Args>
  State& MakeState(size_t plugin, Args&&... args) {
    auto state = std::make_unique<State>(std::forward<Args>(args)...);
    State& made = *state;
    states_[plugin] = std::move(state);
    return made;
  }

  // Drops the plugin's state.
  void DropState(size_t plugin) { states_[plugin].reset(); }

  // What the plugin keeps from one cycle to the next, which saves work and changes no answer. Made when first asked
  // for.
  template <class Kept>
  Kept& kept(const Plugin& plugin) {
    std::unique_ptr<PluginState>& state = buffers_.kept[&plugin];
    if (!state) state = std::make_unique<Kept>();
    return static_cast<Kept&>(*state);
  }

  // All nodes under consideration.
  Candidates& candidates() { return buffers_.candidates; }
  const Candidates& candidates() const { return buffers_.candidates; }
  // For looking at one node at a time.
  Candidates& scratch() { return buffers_.scratch; }
  // Runs loops over many nodes; nullptr where there is one thread only.
  Parallelizer* parallelizer() const { return buffers_.parallelizer; }
  // Hears what plugins have to tell; nullptr where nobody listens. Not to be called from a Filter that runs in
  // parallel.
  Observer* observer() const { return buffers_.observer; }

  // Which plugins answered Skip in PreFilter (PreScore), by index.
  std::vector<uint8_t>& skip_filter() { return skip_filter_; }
  std::vector<uint8_t>& skip_score() { return skip_score_; }
  const std::vector<uint8_t>& skip_filter() const { return skip_filter_; }

  // Pods that wait for Permit, so that a plugin can let them go or turn them down; nullptr where nothing ever waits.
  WaitingPods* waiting_pods() const { return waiting_pods_; }
  void set_waiting_pods(WaitingPods* waiting) { waiting_pods_ = waiting; }

  // The nodes that the pod may go to: all, in zone order, or those of its group's placement.
  std::span<const NodeSlot> order() const { return placement_ ? *placement_ : std::span(cluster_.order()); }
  bool MayGoTo(NodeSlot node) const { return !placement_ || std::ranges::find(*placement_, node) != placement_->end(); }
  // The pod is tried as a member of a group, on these nodes: if it does not fit, the group decides what follows.
  // REQUIRES: the nodes live while the pod is tried.
  void set_placement(std::span<const NodeSlot> nodes) { placement_ = nodes; }
  void clear_placement() { placement_.reset(); }
  // The attempt of its group that the pod takes part in; 0: it is scheduled alone.
  uint64_t group_attempt() const { return group_attempt_; }
  void set_group_attempt(uint64_t attempt) { group_attempt_ = attempt; }
  bool is_of_group() const { return placement_.has_value(); }

  // How many nodes the node at `place` of those given to PreScore stands for: nodes with equal traits are looked at
  // once (TraitPlugin).
  size_t CountOf(size_t place) const { return node_counts_.empty() ? 1 : node_counts_[place]; }
  // REQUIRES: the counts live while nodes are scored.
  void set_node_counts(std::span<const size_t> counts) { node_counts_ = counts; }

  // Pending pods that a plugin wants to be tried again as soon as this pod has its node.
  std::vector<cluster::PodPtr>& pods_to_activate() { return pods_to_activate_; }

  // Who has a say in preemption besides the plugins; nullptr: nobody has.
  PreemptionReview* preemption_review() const { return preemption_review_; }
  void set_preemption_review(PreemptionReview* review) { preemption_review_ = review; }

  // What preemption found; nullptr: nothing.
  const PreemptionReport* preemption_report() const { return preemption_report_.get(); }
  PreemptionReport& MakePreemptionReport() {
    preemption_report_ = std::make_unique<PreemptionReport>();
    return *preemption_report_;
  }

  // When the attempt began, or the binding failed.
  Time now() const { return now_; }
  void set_now(Time now) { now_ = now; }

  // Whether the pod has vanished from the API server while its binding was under way.
  bool pod_is_gone() const { return pod_is_gone_; }
  void set_pod_is_gone(bool gone) { pod_is_gone_ = gone; }

  // Whether effects of PreBind have not been answered yet.
  bool has_unanswered_effects() const { return has_unanswered_effects_; }
  void set_has_unanswered_effects(bool unanswered) { has_unanswered_effects_ = unanswered; }

  // For the scheduler and NodeTrial only.
  cluster::Cluster& mutable_cluster() { return cluster_; }

 private:
  cluster::PodPtr pod_;
  cluster::Cluster& cluster_;
  const Chooser& chooser_;
  CycleBuffers& buffers_;
  std::vector<std::unique_ptr<PluginState>> states_;
  std::vector<uint8_t> skip_filter_;
  std::vector<uint8_t> skip_score_;
  std::optional<std::span<const NodeSlot>> placement_;
  uint64_t group_attempt_ = 0;
  std::span<const size_t> node_counts_;
  WaitingPods* waiting_pods_ = nullptr;
  std::vector<cluster::PodPtr> pods_to_activate_;
  PreemptionReview* preemption_review_ = nullptr;
  std::unique_ptr<PreemptionReport> preemption_report_;
  bool pod_is_gone_ = false;
  bool has_unanswered_effects_ = false;
  Time now_;
};

}  // namespace berth::framework
