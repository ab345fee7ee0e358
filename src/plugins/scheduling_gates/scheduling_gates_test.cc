// SPDX-License-Identifier: Apache-2.0
#include "plugins/scheduling_gates/scheduling_gates.h"

#include <gtest/gtest.h>

#include "cluster/test_builders.h"

namespace berth::plugins {
namespace {

using cluster::PodBuilder;

TEST(SchedulingGates, PodWithGatesWaits) {
  cluster::Cluster cluster;
  const SchedulingGates plugin;

  const framework::Status status =
      plugin.PreEnqueue(*cluster.MakePod(PodBuilder("p").Gate("a").Gate("b.example/c")), cluster);

  EXPECT_EQ(status.code, framework::StatusCode::kUnschedulableAndUnresolvable);
  EXPECT_EQ(status.message(), "waiting for scheduling gates: [a b.example/c]");
}

TEST(SchedulingGates, PodWithoutGatesEntersTheQueue) {
  cluster::Cluster cluster;

  EXPECT_TRUE(SchedulingGates().PreEnqueue(*cluster.MakePod(PodBuilder("p")), cluster).ok());
}

}  // namespace
}  // namespace berth::plugins
