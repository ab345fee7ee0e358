// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_ports/node_ports.h"

#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

TEST(NodePorts, PodsWithoutHostPortsAreSkipped) {
  cluster::Cluster cluster;
  PluginTrial trial(cluster, PodBuilder("p"));

  EXPECT_TRUE(NodePorts().PreFilter(trial.cycle()).status.is_skip());
}

TEST(NodePorts, EqualPortsConflictWhereTheirAddressesMeet) {
  struct Case {
    PodBuilder used;
    PodBuilder wanted;
    bool fits;
  };
  const Case cases[] = {
      {PodBuilder("u").HostPort(80), PodBuilder("p").HostPort(80), false},
      {PodBuilder("u").HostPort(80), PodBuilder("p").HostPort(81), true},
      {PodBuilder("u").HostPort(80), PodBuilder("p").HostPort(80, "UDP"), true},
      {PodBuilder("u").HostPort(80), PodBuilder("p").HostPort(80, "TCP", "0.0.0.0"), false},
      {PodBuilder("u").HostPort(80, "TCP", "10.0.0.1"), PodBuilder("p").HostPort(80, "TCP", "10.0.0.2"), true},
      {PodBuilder("u").HostPort(80, "TCP", "10.0.0.1"), PodBuilder("p").HostPort(80, "TCP", "10.0.0.1"), false},
      {PodBuilder("u").HostPort(80, "TCP", "10.0.0.1"), PodBuilder("p").HostPort(80), false},
      {PodBuilder("u").HostPort(80), PodBuilder("p").HostPort(80, "TCP", "10.0.0.1"), false},
      {PodBuilder("u").HostPort(80), PodBuilder("p").HostPort(79).HostPort(80), false},
      {PodBuilder("u"), PodBuilder("p").HostPort(80), true},
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE(i);
    cluster::Cluster cluster;
    cluster.AddNode(NodeBuilder("n"));
    ASSERT_TRUE(cluster.AddPod(cluster.MakePod(PodBuilder(cases[i].used).Node("n"))));
    PluginTrial trial(cluster, cases[i].wanted);
    const NodePorts plugin;

    EXPECT_TRUE(plugin.PreFilter(trial.cycle()).status.ok());
    const std::map<std::string, std::string> rejected = trial.Filter(plugin);

    EXPECT_EQ(rejected.empty(), cases[i].fits);
    if (!cases[i].fits) {
      EXPECT_EQ(rejected.at("n"), "Unschedulable: node(s) didn't have free ports for the requested pod ports");
    }
  }
}

}  // namespace
}  // namespace berth::plugins
