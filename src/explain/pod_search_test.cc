// SPDX-License-Identifier: Apache-2.0
#include "explain/pod_search.h"

#include <gtest/gtest.h>

#include "explain/test_cluster.h"

namespace berth::explain {
namespace {

TEST(PodSearch, FindsByNameLabelAndOwner) {
  const std::string owned =
      ", labels: {app: Web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-5d, uid: u, "
      "controller: true}]";
  TestCluster cluster(NodeYaml("n1") + PodYaml("a", "100m", ", nodeName: n1", owned) + PodYaml("b", "100m", "", owned) +
                      PodYaml("lonely", "9"));
  const auto find = [&](const std::string& words, int64_t limit = 100) {
    return FindPods(*cluster.core, {words, limit}, cluster.pacer).value();
  };

  EXPECT_EQ(find("app=web").count, 2U);
  EXPECT_EQ(find("replicaset web-5d").count, 2U);
  EXPECT_EQ(find("default/lone").pods.at(0).name, "lonely");
  EXPECT_EQ(find("app=web lonely").count, 0U);
  EXPECT_EQ(find("app=web", 1).pods.size(), 1U);
  EXPECT_EQ(find("app=web").pods.at(0).owner, "ReplicaSet web-5d");
  EXPECT_EQ(find("default").nodes.at("n1"), 2U);
}

TEST(PodSearch, IsBounded) {
  const auto is_refused = [](const std::string& words, int64_t limit) {
    return !ParsePodSearch(ToJson(PodSearch{words, limit}));
  };
  std::string many;
  for (int i = 0; i < 17; ++i) many += "w ";
  EXPECT_TRUE(is_refused("", 1) && is_refused(" ", 1) && is_refused(many, 1) && is_refused(std::string(1001, 'w'), 1));
  EXPECT_TRUE(is_refused("w", 0) && is_refused("w", 1001));
  EXPECT_FALSE(is_refused("w", 1000));
}

}  // namespace
}  // namespace berth::explain
