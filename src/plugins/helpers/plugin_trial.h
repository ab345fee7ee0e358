// SPDX-License-Identifier: Apache-2.0
// PluginTrial: runs one plugin for one pod over all nodes of a small cluster. For tests only.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cluster/test_builders.h"
#include "framework/plugin.h"

namespace berth::plugins {

class PluginTrial {
 public:
  PluginTrial(cluster::Cluster& cluster, api::Pod pod)
      : cluster_(cluster), pod_(cluster.MakePod(std::move(pod))), cycle_(pod_, cluster, chooser_, buffers_, 1) {}

  framework::Cycle& cycle() { return cycle_; }
  std::vector<cluster::NodeSlot> nodes() const { return cluster_.order(); }

  // The nodes that `plugin` rejects, with "code: reasons".
  std::map<std::string, std::string> Filter(const framework::FilterPlugin& plugin) {
    buffers_.kept.clear();  // Each plugin is a new one.
    framework::Candidates& candidates = cycle_.candidates();
    candidates.Reset(nodes(), cluster_.nodes().slot_limit());
    plugin.Filter(cycle_, candidates);
    std::map<std::string, std::string> rejected;
    for (const cluster::NodeSlot slot : candidates.rejected()) {
      const framework::Verdict& verdict = candidates.verdict(slot);
      const framework::Status status = {verdict.code, candidates.reasons().reasons(verdict.reason), {}};
      rejected[cluster_.nodes().name[slot.index]] = std::string(ToString(status.code)) + ": " + status.message();
    }
    return rejected;
  }

  // The normalised score of every node.
  std::map<std::string, int64_t> Score(const framework::ScorePlugin& plugin) {
    buffers_.kept.clear();
    framework::Scores scores;
    const std::vector<cluster::NodeSlot> slots = nodes();
    error_ = plugin.Score(cycle_, slots, scores);
    if (error_.ok()) error_ = plugin.Normalize(cycle_, slots, scores);
    std::map<std::string, int64_t> by_name;
    for (size_t i = 0; i < slots.size(); ++i) by_name[cluster_.nodes().name[slots[i].index]] = scores[i];
    return by_name;
  }
  // Of the last Score.
  const framework::Status& error() const { return error_; }

 private:
  cluster::Cluster& cluster_;
  cluster::PodPtr pod_;
  framework::SmallestNameChooser chooser_;
  framework::CycleBuffers buffers_;
  framework::Cycle cycle_;
  framework::Status error_;
};

}  // namespace berth::plugins
