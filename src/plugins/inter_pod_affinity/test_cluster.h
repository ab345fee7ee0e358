// SPDX-License-Identifier: Apache-2.0
// The cluster that the tests of filtering and scoring share.

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cluster/test_builders.h"
#include "plugins/helpers/test_topology.h"

namespace berth::plugins {

// Nodes a and b in zone 1, c in zone 2, bare without a zone.
inline void FourNodes(cluster::Cluster& cluster) {
  cluster.AddNode(cluster::NodeBuilder("a").Zone("1"));
  cluster.AddNode(cluster::NodeBuilder("b").Zone("1"));
  cluster.AddNode(cluster::NodeBuilder("c").Zone("2"));
  cluster.AddNode(cluster::NodeBuilder("bare"));
}

inline void Put(cluster::Cluster& cluster, const api::Pod& pod) { ASSERT_TRUE(cluster.AddPod(cluster.MakePod(pod))); }

inline void PutNamespace(cluster::Cluster& cluster, const std::string& name, const api::Labels& labels) {
  api::Namespace ns;
  ns.meta.name = name;
  ns.meta.labels = labels;
  cluster.objects.namespaces.Put(ns);
}

inline cluster::PodBuilder AppPod(const std::string& name, const std::string& app) {
  return cluster::PodBuilder(name).Label("app", app);
}

}  // namespace berth::plugins
