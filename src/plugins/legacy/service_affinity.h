// SPDX-License-Identifier: Apache-2.0
// ServiceAffinity: keeps the pods of a service together on nodes that agree in some labels, or spreads them over the
// values of others.
//
// Filter: a node must have the values of the affinity labels that the pod's node selector asks for. Labels that it does
// not name have to be as on the node of the first pod that has all labels of this one, if a service selects the pod.
// Score: the more pods of the service run elsewhere the better, where "elsewhere" is nodes with another value of the
// label.
//
// Cost: one look per distinct set of node labels. Filter lists the pods alike once per cycle.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/registry.h"
#include "plugins/legacy/release.h"

namespace berth::plugins::legacy {

class ServiceAffinity final : public framework::Plugin,
                              public framework::PreFilterPlugin,
                              public framework::FilterPlugin,
                              public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "ServiceAffinity";
  static constexpr std::string_view kReason = "node(s) didn't match service affinity";

  struct Args {
    std::vector<std::string> affinity_labels;                  // Filter.
    std::vector<std::string> anti_affinity_labels_preference;  // Score.

    static constexpr auto Fields() {
      return std::array{framework::Member<&Args::affinity_labels>("affinityLabels"),
                        framework::Member<&Args::anti_affinity_labels_preference>("antiAffinityLabelsPreference")};
    }
    bool operator==(const Args&) const = default;
  };

  // Fails with upstream's text in v1.22 if there are no arguments.
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context, Release release);
  explicit ServiceAffinity(Args args) : args_(std::move(args)) {}

  std::string_view name() const override { return kName; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  bool has_extensions() const override { return !args_.affinity_labels.empty(); }
  framework::Status AddPod(framework::Cycle& cycle, const cluster::PodInfo& pod, cluster::NodeSlot node) const override;
  framework::Status RemovePod(framework::Cycle& cycle, const cluster::PodInfo& pod,
                              cluster::NodeSlot node) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  std::string_view without_pre_filter() const override {
    return args_.affinity_labels.empty() ? "" : "error reading \"PreFilterServiceAffinity\" from cycleState: not found";
  }

  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Status Normalize(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                              framework::Scores& scores) const override;

 private:
  struct State;

  Args args_;
};

// The labels among `keys` that a node selector asks for.
api::Labels SelectedLabels(const std::vector<std::string>& keys, const std::optional<api::Labels>& node_selector);
// Adds those among `keys` that are not in `wanted` yet and that the node has.
void TakeMissingLabels(const std::vector<std::string>& keys, const api::Labels& node_labels, api::Labels& wanted);

// The pods on nodes that are in the pod's namespace and have all of its labels, in the order of nodes.
std::vector<const cluster::PodInfo*> PodsAlike(const cluster::PodInfo& pod, const cluster::Cluster& cluster);

// How many pods on each node the first service of the pod selects; nothing if it has no service that selects by labels.
std::vector<int64_t> CountServicePods(const cluster::PodInfo& pod, const cluster::Cluster& cluster,
                                      std::span<const cluster::NodeSlot> nodes);

}  // namespace berth::plugins::legacy
