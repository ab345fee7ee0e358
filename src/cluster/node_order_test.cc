// SPDX-License-Identifier: Apache-2.0
#include "cluster/node_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"

namespace berth::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

api::Node In(const std::string& zone, const std::string& name) {
  NodeBuilder builder(name);
  if (!zone.empty()) builder.Label("topology.kubernetes.io/zone", zone);
  return builder.Build();
}

NodeOrder OrderOf(const std::vector<api::Node>& nodes) {
  NodeOrder order;
  for (const api::Node& node : nodes) order.Add(node);
  return order;
}

TEST(NodeOrder, GoesRoundTheZonesInTheOrderOfTheirAppearance) {
  const NodeOrder order = OrderOf({In("b", "b1"), In("a", "a1"), In("a", "a2"), In("c", "c1"), In("b", "b2")});

  EXPECT_THAT(*order.List(), ElementsAre("b1", "a1", "c1", "b2", "a2"));
}

TEST(NodeOrder, LargerZonesGoOnWhenSmallerOnesAreExhausted) {
  const NodeOrder order = OrderOf({In("small", "s1"), In("large", "l1"), In("large", "l2"), In("large", "l3"),
                                   In("large", "l4"), In("middle", "m1"), In("middle", "m2")});

  EXPECT_THAT(*order.List(), ElementsAre("s1", "l1", "m1", "l2", "m2", "l3", "l4"));
}

TEST(NodeOrder, NodesWithoutAZoneAreOneZone) {
  const NodeOrder order = OrderOf({In("", "x1"), In("a", "a1"), In("", "x2"), In("a", "a2")});

  EXPECT_THAT(*order.List(), ElementsAre("x1", "a1", "x2", "a2"));
}

TEST(NodeOrder, IsEmptyWithoutNodes) { EXPECT_THAT(*NodeOrder().List(), IsEmpty()); }

TEST(NodeOrder, ANodeCountsOnceHoweverOftenItIsAdded) {
  const NodeOrder order = OrderOf({In("a", "a1"), In("a", "a1"), In("b", "b1")});

  EXPECT_EQ(order.node_count(), 2U);
  EXPECT_THAT(*order.List(), ElementsAre("a1", "b1"));
}

TEST(NodeOrder, RemovalLeavesTheOthersInTheirOrder) {
  NodeOrder order = OrderOf({In("a", "a1"), In("a", "a2"), In("a", "a3"), In("b", "b1"), In("b", "b2")});

  EXPECT_TRUE(order.Remove(In("a", "a2")));

  EXPECT_EQ(order.node_count(), 4U);
  EXPECT_THAT(*order.List(), ElementsAre("a1", "b1", "a3", "b2"));
}

TEST(NodeOrder, AZoneThatLostItsLastNodeComesBackBehindTheOthers) {
  NodeOrder order = OrderOf({In("a", "a1"), In("b", "b1")});
  EXPECT_TRUE(order.Remove(In("a", "a1")));
  EXPECT_THAT(*order.List(), ElementsAre("b1"));

  order.Add(In("a", "a1"));

  EXPECT_THAT(*order.List(), ElementsAre("b1", "a1"));
}

TEST(NodeOrder, ANodeIsRemovedFromTheZoneItSaysOnly) {
  NodeOrder order = OrderOf({In("a", "a1"), In("b", "b1")});

  EXPECT_FALSE(order.Remove(In("b", "a1")));
  EXPECT_FALSE(order.Remove(In("nowhere", "a1")));

  EXPECT_EQ(order.node_count(), 2U);
}

TEST(NodeOrder, ANodeThatChangesItsZoneGoesToTheEndOfTheNewOne) {
  NodeOrder order = OrderOf({In("a", "a1"), In("a", "a2"), In("b", "b1"), In("b", "b2")});
  const api::Node before = In("a", "a1");

  order.Update(&before, In("b", "a1"));
  EXPECT_THAT(*order.List(), ElementsAre("a2", "b1", "b2", "a1"));

  const api::Node same = In("b", "b1");
  order.Update(&same, same);
  EXPECT_THAT(*order.List(), ElementsAre("a2", "b1", "b2", "a1"));
}

TEST(ZoneKey, JoinsRegionAndZone) {
  const auto key = [](std::initializer_list<std::pair<const char*, const char*>> labels) {
    NodeBuilder node("n");
    for (const auto& [name, value] : labels) node.Label(name, value);
    return ZoneKey(node.Build().meta.labels);
  };
  using std::string_literals::operator""s;

  EXPECT_EQ(key({}), "");
  EXPECT_EQ(key({{"topology.kubernetes.io/zone", "z"}}), ":\0:z"s);
  EXPECT_EQ(key({{"topology.kubernetes.io/region", "r"}}), "r:\0:"s);
  EXPECT_EQ(key({{"topology.kubernetes.io/region", "r"}, {"topology.kubernetes.io/zone", "z"}}), "r:\0:z"s);
  EXPECT_EQ(key({{"failure-domain.beta.kubernetes.io/zone", "old"}, {"topology.kubernetes.io/zone", "z"}}), ":\0:old"s);
}

}  // namespace
}  // namespace berth::cluster
