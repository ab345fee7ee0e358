// SPDX-License-Identifier: Apache-2.0
// Jobs whose pods have indexes: which of them run, and which are enough.

#include <gtest/gtest.h>

#include <set>

#include "server/controllers/jobs/test_job.h"

namespace berth::server {
namespace {

TEST(JobController, IndexedPodsHaveTheirNumbers) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  completions: 4\n  parallelism: 3\n  completionMode: Indexed"));
  cluster.Run(Seconds(20));
  std::set<std::string> indices;
  for (const ObjectPtr& pod : cluster.Pods()) {
    const std::string index(pod->labels().Get(kJobIndex));
    indices.insert(index);
    const Json tree = pod->Tree();
    EXPECT_EQ(tree["metadata"]["annotations"][kJobIndex].text(), index);
    EXPECT_EQ(tree["spec"]["hostname"].text(), "work-" + index);
    EXPECT_TRUE(pod->name().starts_with("work-" + index + "-"));
    const Json& variable = tree["spec"]["containers"][size_t{0}]["env"][size_t{0}];
    EXPECT_EQ(variable["name"].text(), "JOB_COMPLETION_INDEX");
    EXPECT_EQ(variable["valueFrom"]["fieldRef"]["fieldPath"].text(),
              "metadata.labels['batch.kubernetes.io/job-completion-index']");
  }
  EXPECT_EQ(cluster.Pods().size(), 4U);
  EXPECT_EQ(indices, (std::set<std::string>{"0", "1", "2", "3"}));
  EXPECT_EQ(JobStatus(cluster)["completedIndexes"].text(), "0-3");
  EXPECT_FALSE(JobStatus(cluster).Has("failedIndexes"));
}

TEST(JobController, EachIndexMayHaveALimitOfItsOwn) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 JobYaml("  completions: 3\n  parallelism: 3\n  completionMode: Indexed\n  backoffLimitPerIndex: 1",
                         kRunsForever));
  cluster.Run();
  EXPECT_TRUE(JobStatus(cluster).Has("failedIndexes"));
  EXPECT_EQ(PodOfIndex(cluster, "1")->Tree()["metadata"]["annotations"][kIndexFailures].text(), "0");
  ExitPod(cluster, PodOfIndex(cluster, "0"), 0);
  ExitPod(cluster, PodOfIndex(cluster, "1"), 1);
  cluster.Run(Seconds(12));
  ASSERT_NE(PodOfIndex(cluster, "1"), nullptr);
  EXPECT_EQ(PodOfIndex(cluster, "1")->Tree()["metadata"]["annotations"][kIndexFailures].text(), "1");
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 1);
  EXPECT_EQ(JobStatus(cluster)["failedIndexes"].text(), "");
  ExitPod(cluster, PodOfIndex(cluster, "1"), 1);
  cluster.Run(Seconds(30));
  EXPECT_EQ(PodOfIndex(cluster, "1"), nullptr);
  EXPECT_EQ(JobStatus(cluster)["failedIndexes"].text(), "1");
  EXPECT_FALSE(JobHas(JobStatus(cluster), "FailureTarget")) << "the others go on";
  ExitPod(cluster, PodOfIndex(cluster, "2"), 0);
  cluster.Run();
  EXPECT_EQ(JobWhy(JobStatus(cluster), "Failed"), "FailedIndexes: Job has failed indexes");
  EXPECT_EQ(JobStatus(cluster)["completedIndexes"].text(), "0,2");
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 2);
  EXPECT_EQ(JobStatus(cluster)["succeeded"].IntOr(0), 2);
}

TEST(JobController, TooManyFailedIndexesFailTheJob) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 JobYaml(R"(  completions: 4
  parallelism: 4
  completionMode: Indexed
  backoffLimitPerIndex: 3
  maxFailedIndexes: 1
  podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [2]}}]})",
                         kRunsForever));
  cluster.Run();
  ExitPod(cluster, PodOfIndex(cluster, "3"), 2);
  cluster.Run();
  EXPECT_EQ(JobStatus(cluster)["failedIndexes"].text(), "3");
  ExitPod(cluster, PodOfIndex(cluster, "1"), 2);
  cluster.Run();
  EXPECT_EQ(JobWhy(JobStatus(cluster), "FailureTarget"),
            "MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes");
  EXPECT_EQ(JobStatus(cluster)["failedIndexes"].text(), "1,3");
}

TEST(JobController, SomeIndexesMayBeEnough) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 JobYaml(R"(  completions: 5
  parallelism: 5
  completionMode: Indexed
  successPolicy: {rules: [{succeededIndexes: "0,4"}, {succeededIndexes: "1-3", succeededCount: 2}]})",
                         kRunsForever));
  cluster.Run();
  ExitPod(cluster, PodOfIndex(cluster, "1"), 0);
  ExitPod(cluster, PodOfIndex(cluster, "4"), 0);
  cluster.Run();
  EXPECT_FALSE(JobHas(JobStatus(cluster), "SuccessCriteriaMet"));
  ExitPod(cluster, PodOfIndex(cluster, "3"), 0);
  cluster.Run();
  EXPECT_EQ(JobWhy(JobStatus(cluster), "SuccessCriteriaMet"), "SuccessPolicy: Matched rules at index 1");
  EXPECT_EQ(JobWhy(JobStatus(cluster), "Complete"), "SuccessPolicy: Matched rules at index 1");
  EXPECT_EQ(JobStatus(cluster)["completedIndexes"].text(), "1,3,4");
  EXPECT_FALSE(JobStatus(cluster).Has("failed")) << "those that were stopped did not fail";
  EXPECT_TRUE(ActivePods(cluster).empty());
}

TEST(JobController, AsManyIndexesAsThereAreMayBeEnough) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 JobYaml(R"(  completions: 2
  parallelism: 2
  completionMode: Indexed
  successPolicy: {rules: [{succeededCount: 2}]})",
                         kRunsForever));
  cluster.Run();
  ExitPod(cluster, PodOfIndex(cluster, "0"), 0);
  ExitPod(cluster, PodOfIndex(cluster, "1"), 0);
  cluster.Run();
  const Json status = JobStatus(cluster);
  EXPECT_EQ(JobWhy(status, "SuccessCriteriaMet"), "SuccessPolicy: Matched rules at index 0");
  EXPECT_EQ(JobWhy(status, "Complete"), "SuccessPolicy: Matched rules at index 0");
  EXPECT_EQ(status["succeeded"].IntOr(0), 2);
  EXPECT_EQ(status["ready"].IntOr(-1), 0);
  EXPECT_EQ(status["terminating"].IntOr(-1), 0);
  EXPECT_FALSE(status.Has("failed"));
}

// Of five indexes two run at a time. The first is enough, whether the other one has failed by then or not.
TEST(JobController, OneIndexMayBeEnoughWhileOthersFailOrWait) {
  for (const std::string_view rule : {"succeededIndexes: '0'", "succeededCount: 1"}) {
    for (const bool fails_first : {false, true}) {
      SCOPED_TRACE(std::string(rule) + (fails_first ? ", fails first" : ""));
      TestCluster cluster;
      cluster.AddNode("node-1");
      cluster.Create("batch", "jobs",
                     JobYaml("  completions: 5\n  parallelism: 2\n  completionMode: Indexed\n"
                             "  backoffLimit: 2147483647\n  successPolicy: {rules: [{" +
                                 std::string(rule) + "}]}",
                             kRunsForever));
      cluster.Run();
      if (fails_first) ExitPod(cluster, PodOfIndex(cluster, "1"), 1);
      if (fails_first) cluster.Run(Seconds(1));
      ExitPod(cluster, PodOfIndex(cluster, "0"), 0);
      cluster.Run(Seconds(40));
      const Json status = JobStatus(cluster);
      EXPECT_EQ(JobWhy(status, "Complete"), "SuccessPolicy: Matched rules at index 0");
      EXPECT_EQ(status["completedIndexes"].text(), "0");
      EXPECT_EQ(status["succeeded"].IntOr(0), 1);
      EXPECT_EQ(status["failed"].IntOr(0), fails_first ? 1 : 0);
      EXPECT_FALSE(status.Has("active"));
      EXPECT_EQ(status["ready"].IntOr(-1), 0);
      EXPECT_EQ(status["terminating"].IntOr(-1), 0);
      EXPECT_TRUE(ActivePods(cluster).empty());
    }
  }
}

}  // namespace
}  // namespace berth::server
