// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/job_controller.h"

#include <gtest/gtest.h>

#include <set>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

// `more`: other members of the spec; `note`: an annotation of the pods.
std::string Job(std::string_view more, std::string_view note = "") {
  return "metadata: {name: work}\nspec:\n" + std::string(more) + "\n  template:\n    metadata: {annotations: {" +
         std::string(note) + R"(}}
    spec: {restartPolicy: Never, containers: [{name: main, image: work}]}
)";
}

Json JobStatus(const TestCluster& cluster) { return cluster.Tree("batch", "jobs", "work")["status"]; }

bool Has(const Json& status, std::string_view type) {
  for (const Json& condition : status["conditions"].items()) {
    if (condition["type"].text() == type && condition["status"].text() == "True") return true;
  }
  return false;
}

TEST(JobController, RunsPodsUntilEnoughHaveSucceeded) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  completions: 5\n  parallelism: 2"));
  for (int i = 0; i < 1500; ++i) {
    cluster.Run(Milliseconds(10));
    ASSERT_LE(cluster.CountPods("Running") + cluster.CountPods("Pending"), 2U);
  }
  const Json status = JobStatus(cluster);
  EXPECT_EQ(cluster.CountPods("Succeeded"), 5U);
  EXPECT_EQ(status["succeeded"].IntOr(0), 5);
  EXPECT_FALSE(status.Has("active"));
  EXPECT_TRUE(Has(status, "Complete"));
  EXPECT_TRUE(Has(status, "SuccessCriteriaMet"));
  EXPECT_FALSE(status["completionTime"].text().empty());
}

TEST(JobController, GivesUpWhenTooManyHaveFailed) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  backoffLimit: 2", "berth.dev/fail-after: 1s"));
  cluster.Run(Seconds(30));
  EXPECT_EQ(cluster.CountPods("Failed"), 3U);
  EXPECT_TRUE(Has(JobStatus(cluster), "Failed"));
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 3);
}

TEST(JobController, IndexedPodsHaveTheirNumbers) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  completions: 4\n  parallelism: 3\n  completionMode: Indexed"));
  cluster.Run(Seconds(20));
  std::set<std::string> indices;
  for (const ObjectPtr& pod : cluster.Pods()) indices.insert(std::string(pod->labels().Get(kJobIndex)));
  EXPECT_EQ(cluster.Pods().size(), 4U);
  EXPECT_EQ(indices, (std::set<std::string>{"0", "1", "2", "3"}));
  EXPECT_EQ(JobStatus(cluster)["completedIndexes"].text(), "0-3");
}

TEST(JobController, PodsThatAreDeletedAfterTheyEndedStillCount) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  completions: 3\n  parallelism: 1\n  completionMode: Indexed"));
  size_t made = 0;
  std::set<std::string> seen;
  for (int i = 0; i < 2000; ++i) {
    cluster.Run(Milliseconds(10));
    for (const ObjectPtr& pod : cluster.Pods()) {
      made += seen.insert(pod->uid()).second ? 1 : 0;
      if (pod->Field("status.phase") == "Succeeded") cluster.Delete("", "pods", pod->name());
    }
  }
  EXPECT_EQ(made, 3U);
  EXPECT_TRUE(Has(JobStatus(cluster), "Complete"));
  EXPECT_EQ(JobStatus(cluster)["completedIndexes"].text(), "0-2");
}

TEST(JobController, APodThatWasLostIsMadeAgain) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  completions: 1", "berth.dev/complete-after: 10s"));
  cluster.Run(Seconds(2));
  cluster.Delete("", "pods", cluster.Pods()[0]->name());
  cluster.Run(Seconds(20));
  EXPECT_TRUE(Has(JobStatus(cluster), "Complete"));
}

TEST(JobController, ASuspendedJobHasNoPods) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  parallelism: 2\n  completions: 2", "berth.dev/complete-after: 1h"));
  cluster.Run();
  ASSERT_EQ(cluster.CountPods("Running"), 2U);
  cluster.Change("batch", "jobs", "work", [](Json& job) { job.Make("spec").Set("suspend", Json::Bool(true)); });
  cluster.Run();
  EXPECT_TRUE(cluster.Pods().empty());
  EXPECT_TRUE(Has(JobStatus(cluster), "Suspended"));
  EXPECT_FALSE(JobStatus(cluster).Has("startTime"));
  cluster.Change("batch", "jobs", "work", [](Json& job) { job.Make("spec").Set("suspend", Json::Bool(false)); });
  cluster.Run();
  EXPECT_EQ(cluster.CountPods("Running"), 2U);
  EXPECT_FALSE(Has(JobStatus(cluster), "Suspended"));
  EXPECT_TRUE(JobStatus(cluster).Has("startTime"));
}

TEST(JobController, LessParallelismStopsPods) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  parallelism: 4\n  completions: 9", "berth.dev/complete-after: 1h"));
  cluster.Run();
  cluster.Change("batch", "jobs", "work", [](Json& job) { job.Make("spec").Set("parallelism", Json::Int(1)); });
  cluster.Run();
  EXPECT_EQ(cluster.Pods().size(), 1U);
}

TEST(JobController, HasADeadline) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  activeDeadlineSeconds: 10", "berth.dev/complete-after: 1h"));
  cluster.Run(Seconds(8));
  EXPECT_FALSE(Has(JobStatus(cluster), "Failed"));
  cluster.Run(Seconds(4));
  EXPECT_TRUE(Has(JobStatus(cluster), "Failed"));
  EXPECT_TRUE(cluster.Pods().empty());
}

TEST(JobController, GoesWithItsPodsAfterItsTime) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  ttlSecondsAfterFinished: 60"));
  cluster.Run(Seconds(30));
  EXPECT_NE(cluster.Find("batch", "jobs", "work"), nullptr);
  cluster.Run(Seconds(60));
  EXPECT_EQ(cluster.Find("batch", "jobs", "work"), nullptr);
  EXPECT_TRUE(cluster.Pods().empty());
}

TEST(JobController, StartsManyPodsInBatches) {
  TestCluster cluster;
  cluster.Create("batch", "jobs", Job("  parallelism: 900\n  completions: 900\n  completionMode: Indexed"));
  cluster.Run(Milliseconds(200));
  EXPECT_EQ(cluster.Pods().size(), 900U);
}

}  // namespace
}  // namespace berth::server
