// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/cleanup/garbage_collector.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

using Propagation = DeleteOptions::Propagation;

ObjectPtr AddMap(TestCluster& cluster, std::string_view name, std::string_view owners = "[]",
                 std::string_view finalizers = "[]") {
  return cluster.Create("", "configmaps",
                        "metadata: {name: " + std::string(name) + ", ownerReferences: " + std::string(owners) +
                            ", finalizers: " + std::string(finalizers) + "}");
}

std::string OwnedBy(const ObjectPtr& owner, bool blocks = true) {
  return "{apiVersion: v1, kind: ConfigMap, name: " + std::string(owner->name()) + ", uid: " + owner->uid() +
         ", blockOwnerDeletion: " + (blocks ? "true" : "false") + "}";
}

bool IsThere(const TestCluster& cluster, std::string_view name) {
  return cluster.Find("", "configmaps", name) != nullptr;
}

TEST(GarbageCollector, DependentsGoAfterTheirOwner) {
  TestCluster cluster;
  const ObjectPtr owner = AddMap(cluster, "owner");
  const ObjectPtr child = AddMap(cluster, "child", "[" + OwnedBy(owner) + "]");
  AddMap(cluster, "grandchild", "[" + OwnedBy(child) + "]");
  cluster.Run(Milliseconds(100));
  EXPECT_TRUE(IsThere(cluster, "grandchild"));
  cluster.Delete("", "configmaps", "owner", {.propagation = Propagation::kBackground});
  EXPECT_FALSE(IsThere(cluster, "owner"));
  cluster.Run(Milliseconds(100));
  EXPECT_FALSE(IsThere(cluster, "child"));
  EXPECT_FALSE(IsThere(cluster, "grandchild"));
}

TEST(GarbageCollector, AnOwnerInTheForegroundWaitsForItsDependents) {
  TestCluster cluster;
  const ObjectPtr owner = AddMap(cluster, "owner");
  const ObjectPtr child = AddMap(cluster, "child", "[" + OwnedBy(owner) + "]");
  AddMap(cluster, "grandchild", "[" + OwnedBy(child) + "]", "[example.com/hold]");
  cluster.Delete("", "configmaps", "owner", {.propagation = Propagation::kForeground});
  cluster.Run();
  EXPECT_TRUE(IsThere(cluster, "owner"));
  EXPECT_TRUE(IsThere(cluster, "child"));
  cluster.Change("", "configmaps", "grandchild", [](Json& map) { map.Make("metadata").Erase("finalizers"); });
  cluster.Run();
  EXPECT_FALSE(IsThere(cluster, "grandchild"));
  EXPECT_FALSE(IsThere(cluster, "child"));
  EXPECT_FALSE(IsThere(cluster, "owner"));
}

TEST(GarbageCollector, InAPartOfAClusterAnOwnerThatWasNeverSeenMayBeElsewhere) {
  for (const bool is_whole : {true, false}) {
    TestCluster cluster(true, {}, {.is_whole = is_whole});
    const ObjectPtr owner = AddMap(cluster, "owner");
    AddMap(cluster, "child", "[" + OwnedBy(owner) + "]");
    AddMap(cluster, "stray", "[{apiVersion: v1, kind: ConfigMap, name: unknown, uid: unknown}]");
    cluster.Run(Milliseconds(100));
    EXPECT_EQ(IsThere(cluster, "stray"), !is_whole);
    cluster.Delete("", "configmaps", "owner", {.propagation = Propagation::kBackground});
    cluster.Run(Milliseconds(100));
    EXPECT_FALSE(IsThere(cluster, "child"));
  }
}

TEST(GarbageCollector, WaitsOnlyForThoseThatSaySo) {
  TestCluster cluster;
  const ObjectPtr owner = AddMap(cluster, "owner");
  AddMap(cluster, "child", "[" + OwnedBy(owner, false) + "]", "[example.com/hold]");
  cluster.Delete("", "configmaps", "owner", {.propagation = Propagation::kForeground});
  cluster.Run();
  EXPECT_FALSE(IsThere(cluster, "owner"));
  EXPECT_TRUE(cluster.Tree("", "configmaps", "child")["metadata"].Has("deletionTimestamp"));
}

TEST(GarbageCollector, ACircleOfOwnersEnds) {
  TestCluster cluster;
  for (const char* name : {"a", "b", "c"}) AddMap(cluster, name);
  const auto own = [&](std::string_view owner, std::string_view dependent) {
    const Json reference{{"apiVersion", Json::String("v1")},
                         {"kind", Json::String("ConfigMap")},
                         {"name", Json::String(owner)},
                         {"uid", Json::String(cluster.Find("", "configmaps", owner)->uid())},
                         {"blockOwnerDeletion", Json::Bool(true)}};
    cluster.Change("", "configmaps", dependent,
                   [&](Json& map) { map.Make("metadata").Set("ownerReferences", Json::MakeList({reference})); });
  };
  own("a", "b");
  own("b", "c");
  own("c", "a");
  cluster.Run(Milliseconds(100));

  cluster.Delete("", "configmaps", "a", {.propagation = Propagation::kForeground});
  cluster.Run();

  for (const char* name : {"a", "b", "c"}) EXPECT_FALSE(IsThere(cluster, name)) << name;
}

TEST(GarbageCollector, OrphansStay) {
  TestCluster cluster;
  const ObjectPtr owner = AddMap(cluster, "owner");
  for (int i = 0; i < 450; ++i) AddMap(cluster, "child-" + std::to_string(i), "[" + OwnedBy(owner) + "]");
  cluster.Delete("", "configmaps", "owner", {.propagation = Propagation::kOrphan});
  cluster.Run();
  EXPECT_FALSE(IsThere(cluster, "owner"));
  for (int i = 0; i < 450; ++i) {
    EXPECT_FALSE(cluster.Tree("", "configmaps", "child-" + std::to_string(i))["metadata"].Has("ownerReferences"));
  }
}

TEST(GarbageCollector, OneOwnerIsEnough) {
  TestCluster cluster;
  const ObjectPtr first = AddMap(cluster, "first");
  const ObjectPtr second = AddMap(cluster, "second");
  AddMap(cluster, "child", "[" + OwnedBy(first) + ", " + OwnedBy(second) + "]");
  cluster.Delete("", "configmaps", "first");
  cluster.Run();
  ASSERT_TRUE(IsThere(cluster, "child"));
  const Json owners = cluster.Tree("", "configmaps", "child")["metadata"]["ownerReferences"];
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_EQ(owners[size_t{0}]["name"].text(), "second");
  cluster.Delete("", "configmaps", "second", {.propagation = Propagation::kForeground});
  cluster.Run();
  EXPECT_FALSE(IsThere(cluster, "child"));
}

TEST(GarbageCollector, AnOwnerThatIsAnotherByNowIsNone) {
  TestCluster cluster;
  const ObjectPtr owner = AddMap(cluster, "owner");
  cluster.Delete("", "configmaps", "owner");
  AddMap(cluster, "owner");
  AddMap(cluster, "child", "[" + OwnedBy(owner) + "]");
  cluster.Run();
  EXPECT_FALSE(IsThere(cluster, "child"));
}

TEST(GarbageCollector, OwnersThatAreAddedLaterCount) {
  TestCluster cluster;
  const ObjectPtr owner = AddMap(cluster, "owner");
  AddMap(cluster, "child");
  cluster.Delete("", "configmaps", "owner");
  cluster.Run();
  cluster.Change("", "configmaps", "child", [&](Json& map) {
    map.Make("metadata")
        .Set("ownerReferences", Json::MakeList({Json{{"apiVersion", Json::String("v1")},
                                                     {"kind", Json::String("ConfigMap")},
                                                     {"name", Json::String("owner")},
                                                     {"uid", Json::String(owner->uid())}}}));
  });
  cluster.Run();
  EXPECT_FALSE(IsThere(cluster, "child"));
}

TEST(GarbageCollector, KnowsNothingOfOwnersOfOtherKinds) {
  TestCluster cluster;
  AddMap(cluster, "child", "[{apiVersion: example.com/v1, kind: Thing, name: a, uid: b}]");
  cluster.Create("", "nodes",
                 "metadata: {name: node, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: a, uid: b}]}");
  cluster.Run();
  EXPECT_TRUE(IsThere(cluster, "child"));
  EXPECT_NE(cluster.Find("", "nodes", "node"), nullptr);
}

}  // namespace
}  // namespace berth::server
