// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/owned_pods.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

TEST(EditObject, LeavesAnotherOneOfThatNameAlone) {
  TestCluster cluster(false);
  constexpr std::string_view kMap = "metadata: {name: settings}";
  const ObjectPtr gone = cluster.Create("", "configmaps", kMap);
  cluster.Delete("", "configmaps", "settings");
  const ObjectPtr another = cluster.Create("", "configmaps", kMap);
  const auto edit = [](Json& map) { map.Make("data").Set("a", "1"); };

  EXPECT_TRUE(EditObject(cluster.loop.cluster(), *gone, edit));
  EXPECT_FALSE(cluster.Tree("", "configmaps", "settings").Has("data"));
  EXPECT_TRUE(EditObject(cluster.loop.cluster(), *another, edit));
  EXPECT_TRUE(cluster.Tree("", "configmaps", "settings").Has("data"));
}

}  // namespace
}  // namespace berth::server
