// SPDX-License-Identifier: Apache-2.0
// Whose the pods of a Job are, from when it finds them until it goes.

#include <gtest/gtest.h>

#include "server/controllers/jobs/test_job.h"
#include "server/model/metadata.h"

namespace berth::server {
namespace {

TEST(JobController, TakesOverPodsThatMatchAndLetsGoOfOthers) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  const ObjectPtr job = cluster.Create("batch", "jobs", JobYaml("  parallelism: 2\n  completions: 4", kRunsForever));
  cluster.Run();
  ASSERT_EQ(cluster.CountPods("Running"), 2U);
  const std::string name(cluster.Pods()[0]->name());
  cluster.Change("", "pods", name, [](Json& pod) { pod.Make("metadata").Erase("ownerReferences"); });
  cluster.Run(Seconds(1));
  Json metadata = cluster.Tree("", "pods", name)["metadata"];
  ASSERT_EQ(metadata["ownerReferences"].size(), 1U);
  EXPECT_EQ(metadata["ownerReferences"][size_t{0}]["uid"].text(), job->uid());
  EXPECT_TRUE(metadata["ownerReferences"][size_t{0}]["controller"].AsBool());
  EXPECT_TRUE(HasFinalizer(metadata, kJobTrackingFinalizer));
  EXPECT_EQ(cluster.CountPods("Running"), 2U) << "no other was made";
  EXPECT_EQ(JobStatus(cluster)["active"].IntOr(0), 2);

  cluster.Change("", "pods", name, [](Json& pod) { pod.Make("metadata").Erase("labels"); });
  cluster.Run(Seconds(4));
  metadata = cluster.Tree("", "pods", name)["metadata"];
  EXPECT_FALSE(metadata.Has("ownerReferences"));
  EXPECT_FALSE(HasFinalizer(metadata, kJobTrackingFinalizer));
  EXPECT_EQ(cluster.CountPods("Running"), 3U) << "another one took its place";
  EXPECT_EQ(JobStatus(cluster)["active"].IntOr(0), 2);
  EXPECT_FALSE(JobStatus(cluster).Has("failed"));
}

TEST(JobController, LetsGoOfPodsThatHaveEndedToo) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  parallelism: 2\n  completions: 2", kRunsForever));
  cluster.Run();
  const std::string name(cluster.Pods()[0]->name());
  ExitPod(cluster, cluster.Pods()[0], 0);
  cluster.Run(Seconds(1));
  ASSERT_EQ(JobStatus(cluster)["succeeded"].IntOr(0), 1);
  cluster.Change("", "pods", name, [](Json& pod) { pod.Make("metadata").Erase("labels"); });
  cluster.Run(Seconds(1));
  EXPECT_FALSE(cluster.Tree("", "pods", name)["metadata"].Has("ownerReferences"));
  EXPECT_EQ(JobStatus(cluster)["succeeded"].IntOr(0), 1);
}

TEST(JobController, AnEmptySelectorOfItsOwnSelectsEverything) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "pods", "metadata: {name: stray}\nspec: {containers: [{name: main, image: work}]}");
  cluster.Create("batch", "jobs", JobYaml("  manualSelector: true\n  selector: {}", kRunsForever));
  cluster.Run(Seconds(1));
  EXPECT_EQ(cluster.Tree("", "pods", "stray")["metadata"]["ownerReferences"][size_t{0}]["name"].text(), "work");
  EXPECT_EQ(cluster.Pods().size(), 1U);
}

TEST(JobController, PodsGoWithTheirJob) {
  using How = DeleteOptions::Propagation;
  for (const How how : {How::kBackground, How::kForeground, How::kOrphan, How::kDefault}) {
    TestCluster cluster;
    cluster.AddNode("node-1");
    cluster.Create("batch", "jobs", JobYaml("  parallelism: 3\n  completions: 3", kRunsForever));
    cluster.Run();
    cluster.Delete("batch", "jobs", "work", {.propagation = how});
    cluster.Run();
    EXPECT_EQ(cluster.Find("batch", "jobs", "work"), nullptr);
    EXPECT_EQ(cluster.Pods().size(), how == How::kOrphan || how == How::kDefault ? 3U : 0U);
    for (const ObjectPtr& pod : cluster.Pods()) {
      EXPECT_FALSE((*pod->tree())["metadata"].Has("finalizers"));
      EXPECT_FALSE((*pod->tree())["metadata"].Has("ownerReferences"));
    }
  }
}

}  // namespace
}  // namespace berth::server
