// SPDX-License-Identifier: Apache-2.0
// A large cluster and a plugin's part of a cycle, for benchmarks.

#pragma once

#include <memory>
#include <string>

#include "cluster/cluster.h"
#include "cluster/test_builders.h"
#include "framework/chooser.h"
#include "framework/plugin.h"

namespace berth::plugins {

struct BenchClusterSize {
  int nodes = 5000;
  int pods = 150'000;
  int zones = 3;
  int apps = 500;              // Pods carry app=app-<number>, evenly.
  bool anti_affinity = false;  // Every pod keeps away from pods of the next app on its node.
};

inline std::unique_ptr<cluster::Cluster> MakeBenchCluster(const BenchClusterSize& size) {
  auto cluster = std::make_unique<cluster::Cluster>();
  for (int n = 0; n < size.nodes; ++n) {
    cluster->AddNode(cluster::NodeBuilder("node-" + std::to_string(n))
                         .Capacity("64", "256Gi")
                         .Zone("zone-" + std::to_string(n % size.zones)));
  }
  for (int p = 0; p < size.pods; ++p) {
    const auto app = [&](int i) { return "app-" + std::to_string((i + size.apps) % size.apps); };
    cluster::PodBuilder pod("pod-" + std::to_string(p));
    pod.Label("app", app(p)).Node("node-" + std::to_string(p % size.nodes));
    if (size.anti_affinity) pod.AntiAffinity(cluster::Term("kubernetes.io/hostname", {{"app", app(p - 1)}}));
    (void)cluster->AddPod(cluster->MakePod(pod));
  }
  return cluster;
}

// Every call that a cycle makes to the plugin, with all nodes as candidates.
template <class PluginType>
void BenchCycle(const PluginType& plugin, cluster::Cluster& cluster, const cluster::PodPtr& pod) {
  static framework::SmallestNameChooser chooser;
  static framework::CycleBuffers buffers;
  static framework::Scores scores;
  framework::Cycle cycle(pod, cluster, chooser, buffers, 1);
  framework::Candidates& candidates = buffers.candidates;
  candidates.Reset(cluster.order(), cluster.nodes().slot_limit());
  if (plugin.PreFilter(cycle).status.ok()) plugin.Filter(cycle, candidates);
  if (!plugin.PreScore(cycle, candidates.nodes()).ok()) return;
  (void)plugin.Score(cycle, candidates.nodes(), scores);
  (void)plugin.Normalize(cycle, candidates.nodes(), scores);
}

}  // namespace berth::plugins
