// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/pod_queue.h"

#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "plugins/priority_sort/priority_sort.h"

namespace berth::simulate {
namespace {

using cluster::PodBuilder;

struct Fixture {
  cluster::Cluster cluster;
  plugins::PrioritySort sort;
  PodQueue queue{sort};
  cluster::PodPtr low = cluster.MakePod(PodBuilder("low").Priority(1));
  cluster::PodPtr high = cluster.MakePod(PodBuilder("high").Priority(2));
};

TEST(PodQueue, OrderIsPriorityThenTimeThenPosition) {
  Fixture f;
  f.queue.Push(1, f.low, Time{5});
  f.queue.Push(0, f.low, Time{5});
  f.queue.Push(2, f.low, Time{4});
  f.queue.Push(3, f.high, Time{9});

  for (const size_t expected : {3U, 2U, 0U, 1U}) EXPECT_EQ(f.queue.Pop(), expected);
  EXPECT_EQ(f.queue.Pop(), std::nullopt);
}

TEST(PodQueue, PodsReturnWhenSomethingHelpsThem) {
  Fixture f;
  f.queue.Wait(0, f.low, Time{}, {"NodeResourcesFit"});
  f.queue.Wait(1, f.low, Time{}, {"NodeAffinity", "InterPodAffinity"});
  f.queue.Wait(2, f.low, Time{}, {"TaintToleration"});
  f.queue.Wait(3, f.low, Time{}, {"SomebodysPlugin"});
  EXPECT_EQ(f.queue.Pop(), std::nullopt);

  f.queue.Happened(Happening::kPodPlaced);

  EXPECT_EQ(f.queue.Pop(), 1U);
  EXPECT_EQ(f.queue.Pop(), 3U);
  EXPECT_EQ(f.queue.Pop(), std::nullopt);
  f.queue.Happened(Happening::kPodGone);
  EXPECT_EQ(f.queue.Pop(), 0U);
}

TEST(PodQueue, WhatHappenedBeforeTheTryDoesNotHelp) {
  Fixture f;
  f.queue.Happened(Happening::kPodGone);
  f.queue.Wait(0, f.low, Time{}, {"NodeResourcesFit"});

  EXPECT_EQ(f.queue.Pop(), std::nullopt);
}

}  // namespace
}  // namespace berth::simulate
