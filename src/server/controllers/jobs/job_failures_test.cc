// SPDX-License-Identifier: Apache-2.0
// What becomes of a Job whose pods fail, or are lost.

#include <gtest/gtest.h>

#include "server/controllers/jobs/test_job.h"
#include "server/model/metadata.h"

namespace berth::server {
namespace {

TEST(JobController, GivesUpWhenTooManyHaveFailed) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  backoffLimit: 2", "berth.dev/fail-after: 1s"));
  cluster.Run(Minutes(1));
  EXPECT_EQ(cluster.CountPods("Failed"), 3U);
  const std::string why = "BackoffLimitExceeded: Job has reached the specified backoff limit";
  EXPECT_EQ(JobWhy(JobStatus(cluster), "FailureTarget"), why);
  EXPECT_EQ(JobWhy(JobStatus(cluster), "Failed"), why);
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 3);
  EXPECT_FALSE(JobStatus(cluster).Has("completionTime"));
  EXPECT_TRUE(HasJobEvent(cluster, "Warning " + why));
}

TEST(JobController, FailedPodsAreReplacedAfterABackoff) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("", kRunsForever));
  cluster.Run();
  ExitPod(cluster, ActivePods(cluster)[0], 1);
  cluster.Run(Seconds(8));
  EXPECT_TRUE(ActivePods(cluster).empty());
  cluster.Run(Seconds(4));
  ASSERT_EQ(ActivePods(cluster).size(), 1U);
  ExitPod(cluster, ActivePods(cluster)[0], 1);
  cluster.Run(Seconds(18));
  EXPECT_TRUE(ActivePods(cluster).empty());
  cluster.Run(Seconds(4));
  EXPECT_EQ(ActivePods(cluster).size(), 1U);
}

TEST(JobController, RestartsCountWhereContainersRestart) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  std::string job = JobYaml("  backoffLimit: 2", kRunsForever);
  job.replace(job.find("Never"), 5, "OnFailure");
  cluster.Create("batch", "jobs", job);
  cluster.Run();
  const auto restart = [&](int64_t count) {
    cluster.Change(
        "", "pods", cluster.Pods()[0]->name(),
        [&](Json& pod) {
          pod.Make({"status", "containerStatuses"}).mutable_items()[0].Set("restartCount", Json::Int(count));
        },
        "status");
    cluster.Run(Seconds(1));
  };
  restart(1);
  EXPECT_FALSE(JobHas(JobStatus(cluster), "FailureTarget"));
  restart(2);
  EXPECT_EQ(JobWhy(JobStatus(cluster), "Failed"), "BackoffLimitExceeded: Job has reached the specified backoff limit");
}

TEST(JobController, APodThatWasLostIsMadeAgain) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  completions: 1", "berth.dev/complete-after: 10s"));
  cluster.Run(Seconds(2));
  cluster.Delete("", "pods", cluster.Pods()[0]->name());
  cluster.Run(Seconds(40));
  EXPECT_TRUE(JobHas(JobStatus(cluster), "Complete"));
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 1);
}

TEST(JobController, AJobCanWaitUntilPodsHaveFailedForGood) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  podReplacementPolicy: Failed", kRunsForever));
  cluster.Run();
  const ObjectPtr pod = cluster.Pods()[0];
  // Something else holds it too, so that it can be seen while it goes.
  cluster.Change("", "pods", pod->name(), [](Json& held) { AddFinalizer(held.Make("metadata"), "example.com/hold"); });
  cluster.Change(
      "", "nodes", "node-1",
      [](Json& node) {
        for (Json& condition : node.Make({"status", "conditions"}).mutable_items()) {
          if (condition["type"].text() == "Ready") condition.Set("status", "Unknown");
        }
      },
      "status", "");
  cluster.Delete("", "pods", pod->name());
  cluster.Run(Seconds(1));
  EXPECT_EQ(JobStatus(cluster)["terminating"].IntOr(0), 1);
  EXPECT_FALSE(JobStatus(cluster).Has("active"));
  EXPECT_FALSE(JobStatus(cluster).Has("failed"));
  ExitPod(cluster, pod, 143);
  cluster.Run(Seconds(15));
  EXPECT_EQ(JobStatus(cluster)["terminating"].IntOr(-1), 0);
  EXPECT_EQ(JobStatus(cluster)["active"].IntOr(0), 1);
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 1);
}

TEST(JobController, APodThatNeverRanIsReplacedToo) {
  TestCluster cluster;
  cluster.Create("batch", "jobs", JobYaml("  podReplacementPolicy: Failed"));
  cluster.Run();
  cluster.Delete("", "pods", cluster.Pods()[0]->name());
  cluster.Run(Seconds(10));
  EXPECT_EQ(JobStatus(cluster)["terminating"].IntOr(0), 1);
  cluster.Run(Seconds(15));
  EXPECT_EQ(JobStatus(cluster)["active"].IntOr(0), 1);
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 1);
}

TEST(JobController, APodThatIsEvictedHasFailedOnceItIsHeldAlone) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 JobYaml(R"(  backoffLimit: 0
  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]})",
                         kRunsForever));
  cluster.Run();
  const std::string name(cluster.Pods()[0]->name());
  ASSERT_TRUE(
      EvictPod(cluster.objects, "default", name, Json{{"metadata", Json{{"name", Json::String(name)}}}}, false));
  cluster.Run(Seconds(15));
  EXPECT_EQ(cluster.Find("", "pods", name), nullptr);
  EXPECT_EQ(ActivePods(cluster).size(), 1U);
  EXPECT_FALSE(JobStatus(cluster).Has("failed"));
}

TEST(JobController, AnExitCodeMayFailTheJob) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 JobYaml(R"(  completions: 4
  parallelism: 2
  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]})",
                         kRunsForever));
  cluster.Run();
  const ObjectPtr pod = ActivePods(cluster)[0];
  ExitPod(cluster, pod, 42);
  cluster.Run();
  const std::string why = "PodFailurePolicy: Container main for pod default/" + std::string(pod->name()) +
                          " failed with exit code 42 matching FailJob rule at index 0";
  EXPECT_EQ(JobWhy(JobStatus(cluster), "FailureTarget"), why);
  EXPECT_EQ(JobWhy(JobStatus(cluster), "Failed"), why);
  EXPECT_TRUE(HasJobEvent(cluster, "Warning " + why));
  EXPECT_TRUE(ActivePods(cluster).empty());
}

TEST(JobController, DisruptionsMayBeIgnored) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 JobYaml(R"(  backoffLimit: 0
  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]})",
                         kRunsForever));
  cluster.Run();
  const ObjectPtr pod = ActivePods(cluster)[0];
  cluster.Change(
      "", "pods", pod->name(),
      [](Json& disrupted) {
        disrupted.Make({"status", "conditions"})
            .Append(Json{{"type", Json::String("DisruptionTarget")}, {"status", Json::String("True")}});
      },
      "status");
  ExitPod(cluster, pod, 137);
  cluster.Run(Seconds(15));
  EXPECT_FALSE(JobHas(JobStatus(cluster), "FailureTarget"));
  EXPECT_FALSE(JobStatus(cluster).Has("failed"));
  ASSERT_EQ(ActivePods(cluster).size(), 1U);
  ExitPod(cluster, ActivePods(cluster)[0], 0);
  cluster.Run();
  EXPECT_TRUE(JobHas(JobStatus(cluster), "Complete"));
}

TEST(JobController, EvictionsOfAllIndexesMayBeIgnored) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 JobYaml(R"(  backoffLimit: 2
  parallelism: 3
  completions: 3
  completionMode: Indexed
  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]})",
                         kRunsForever));
  cluster.Run();
  ASSERT_EQ(JobStatus(cluster)["ready"].IntOr(0), 3);
  const std::vector<ObjectPtr> evicted = cluster.Pods();
  for (const ObjectPtr& pod : evicted) {
    const Json eviction{{"metadata", Json{{"name", Json::String(pod->name())}}}};
    ASSERT_TRUE(EvictPod(cluster.objects, "default", pod->name(), eviction, false));
  }
  cluster.Run(Minutes(1));
  for (const ObjectPtr& pod : evicted) EXPECT_EQ(cluster.Find("", "pods", pod->name()), nullptr);
  for (const std::string_view index : {"0", "1", "2"}) ExitPod(cluster, PodOfIndex(cluster, index), 0);
  cluster.Run(Seconds(2));
  EXPECT_EQ(JobWhy(JobStatus(cluster), "Complete"), "CompletionsReached: Reached expected number of succeeded pods");
  EXPECT_EQ(JobStatus(cluster)["succeeded"].IntOr(0), 3);
  EXPECT_FALSE(JobStatus(cluster).Has("failed"));
}

}  // namespace
}  // namespace berth::server
