// SPDX-License-Identifier: Apache-2.0
// TestRun: one plugin at work on one pod, for tests.
//
//   TestRun<NodePorts> run(plugin, cluster, pod);
//   EXPECT_EQ(run.Rejections(), (Texts{{"n1", "Unschedulable: node(s) didn't ..."}}));
//   EXPECT_EQ(run.FinalScores(), (Numbers{{"n1", 100}, {"n2", 0}}));
//
// All nodes of the cluster are candidates, in node order.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "cluster/cluster.h"
#include "framework/chooser.h"
#include "framework/plugin.h"

namespace berth::plugins {

using Texts = std::map<std::string, std::string>;
using Numbers = std::map<std::string, int64_t>;

template <class PluginType>
class TestRun {
 public:
  TestRun(const PluginType& plugin, cluster::Cluster& cluster, api::Pod pod)
      : plugin_(plugin),
        cluster_(cluster),
        pod_(cluster.MakePod(std::move(pod))),
        cycle_(pod_, cluster, chooser_, buffers_, 1) {}

  framework::Cycle& cycle() { return cycle_; }
  cluster::NodeSlot Slot(const std::string& node) const {
    cluster::NodeSlot slot;
    cluster_.nodes().Find(node, slot);
    return slot;
  }

  framework::Status PreFilter() { return plugin_.PreFilter(cycle_).status; }
  // Node to "code: reasons" after PreFilter and Filter.
  Texts Rejections() {
    const framework::Status status = PreFilter();
    if (status.is_skip()) return {};
    if (!status.ok()) return {{"*", Text(status)}};
    return Filter();
  }
  Texts Filter() {
    cycle_.candidates().Reset(cluster_.order(), cluster_.nodes().slot_limit());
    plugin_.Filter(cycle_, cycle_.candidates());
    if (!cycle_.candidates().error().ok()) return {{"*", Text(cycle_.candidates().error())}};
    Texts texts;
    for (const cluster::NodeSlot slot : cycle_.candidates().rejected()) {
      const framework::Verdict& verdict = cycle_.candidates().verdict(slot);
      const std::vector<std::string>& reasons = cycle_.candidates().reasons().reasons(verdict.reason);
      texts[cluster_.nodes().name[slot.index]] = Text({verdict.code, reasons, {}});
    }
    return texts;
  }

  framework::Status PreScore() { return plugin_.PreScore(cycle_, cluster_.order()); }
  // Scores before and after Normalize. Empty when PreScore did not succeed.
  Numbers RawScores() { return Score(false); }
  Numbers FinalScores() { return Score(true); }

  static std::string Text(const framework::Status& status) {
    return std::string(framework::ToString(status.code)) + ": " + status.message();
  }

 private:
  Numbers Score(bool normalize) {
    if (!PreScore().ok()) return {};
    framework::Scores scores;
    if (!plugin_.Score(cycle_, cluster_.order(), scores).ok()) return {};
    if (normalize && !plugin_.Normalize(cycle_, cluster_.order(), scores).ok()) return {};
    Numbers numbers;
    for (size_t i = 0; i < scores.size(); ++i) {
      numbers[cluster_.nodes().name[cluster_.order()[i].index]] = scores[i];
    }
    return numbers;
  }

  const PluginType& plugin_;
  cluster::Cluster& cluster_;
  cluster::PodPtr pod_;
  framework::SmallestNameChooser chooser_;
  framework::CycleBuffers buffers_;
  framework::Cycle cycle_;
};

}  // namespace berth::plugins
