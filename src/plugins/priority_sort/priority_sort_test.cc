// SPDX-License-Identifier: Apache-2.0
#include "plugins/priority_sort/priority_sort.h"

#include <gtest/gtest.h>

#include "cluster/test_builders.h"

namespace berth::plugins {
namespace {

using cluster::PodBuilder;

TEST(PrioritySort, HigherPriorityComesFirstThenEarlierTime) {
  cluster::Cluster cluster;
  const cluster::PodPtr low = cluster.MakePod(PodBuilder("low").Priority(-1));
  const cluster::PodPtr none = cluster.MakePod(PodBuilder("none"));
  const cluster::PodPtr zero = cluster.MakePod(PodBuilder("zero").Priority(0));
  const PrioritySort sort;

  EXPECT_TRUE(sort.Less({*none, Time{9}}, {*low, Time{1}}, cluster));
  EXPECT_FALSE(sort.Less({*low, Time{1}}, {*none, Time{9}}, cluster));
  EXPECT_TRUE(sort.Less({*zero, Time{1}}, {*none, Time{2}}, cluster));
  EXPECT_FALSE(sort.Less({*zero, Time{2}}, {*none, Time{2}}, cluster));
}

}  // namespace
}  // namespace berth::plugins
