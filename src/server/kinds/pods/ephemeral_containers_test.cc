// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/ephemeral_containers.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

// What is said of a pod whose ephemeral containers shall be these; "" if they are taken.
std::string Debug(TestCluster& cluster, const std::string& containers) {
  const Resource& pods = cluster.Get("", "pods");
  const Json wanted =
      TestCluster::Parse(pods, "metadata: {name: pod}\nspec: {ephemeralContainers: " + containers + "}");
  const auto written = cluster.objects.Update(
      pods, "default", "pod", {.subresource = "ephemeralcontainers"}, [&](const Json& current) -> Outcome<Json> {
        Json pod = current;
        pod.Make({"metadata", "labels"}).Set("changed", "too");
        pod.Make("spec").Set("hostname", "changed");
        pod.Make("spec").Set("ephemeralContainers", wanted["spec"]["ephemeralContainers"]);
        return pod;
      });
  return written ? "" : written.error().message;
}

TEST(EphemeralContainers, AreAddedToAPodAndNothingElseIsChanged) {
  TestCluster cluster(false);
  cluster.Create("", "pods", "metadata: {name: pod}\nspec: {containers: [{name: a, image: a}]}");

  EXPECT_EQ(Debug(cluster, "[{name: d, image: d}]"), "");

  const Json pod = cluster.Tree("", "pods", "pod");
  EXPECT_EQ(pod["spec"]["ephemeralContainers"][size_t{0}]["name"].text(), "d");
  EXPECT_EQ(pod["metadata"]["generation"].IntOr(0), 2);
  EXPECT_FALSE(pod["metadata"].Has("labels"));
  EXPECT_FALSE(pod["spec"].Has("hostname"));
}

TEST(EphemeralContainers, StayAsTheyAre) {
  TestCluster cluster(false);
  cluster.Create("", "pods", "metadata: {name: pod}\nspec: {containers: [{name: a, image: a}]}");
  ASSERT_EQ(Debug(cluster, "[{name: d, image: d}]"), "");

  EXPECT_NE(Debug(cluster, "[]")
                .find("spec.ephemeralContainers: Forbidden: existing ephemeral containers \"d\" may "
                      "not be removed"),
            std::string::npos);
  EXPECT_NE(Debug(cluster, "[{name: d, image: e}]").find("existing ephemeral containers \"d\" may not be changed"),
            std::string::npos);
  EXPECT_NE(Debug(cluster, "[{name: d, image: d}, {name: a, image: e}]").find("Duplicate value: \"a\""),
            std::string::npos);
}

}  // namespace
}  // namespace berth::server
