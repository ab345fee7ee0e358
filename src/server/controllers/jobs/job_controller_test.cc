// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "server/controllers/jobs/test_job.h"
#include "server/model/metadata.h"

namespace berth::server {
namespace {

TEST(JobController, RunsPodsUntilEnoughHaveSucceeded) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  completions: 5\n  parallelism: 2"));
  for (int i = 0; i < 1500; ++i) {
    cluster.Run(Milliseconds(10));
    ASSERT_LE(cluster.CountPods("Running") + cluster.CountPods("Pending"), 2U);
  }
  const Json status = JobStatus(cluster);
  EXPECT_EQ(cluster.CountPods("Succeeded"), 5U);
  EXPECT_EQ(status["succeeded"].IntOr(0), 5);
  EXPECT_FALSE(status.Has("active"));
  EXPECT_EQ(status["ready"].IntOr(-1), 0);
  EXPECT_EQ(status["terminating"].IntOr(-1), 0);
  EXPECT_TRUE(status["uncountedTerminatedPods"].is_map() && status["uncountedTerminatedPods"].empty());
  EXPECT_EQ(JobWhy(status, "SuccessCriteriaMet"), "CompletionsReached: Reached expected number of succeeded pods");
  EXPECT_EQ(JobWhy(status, "Complete"), "CompletionsReached: Reached expected number of succeeded pods");
  EXPECT_FALSE(status["completionTime"].text().empty());
  EXPECT_TRUE(HasJobEvent(cluster, "Normal Completed: Job completed"));
  EXPECT_TRUE(HasJobEvent(cluster, "Normal SuccessfulCreate: Created pod: " + std::string(cluster.Pods()[0]->name())));
}

TEST(JobController, PodsHaveAFinalizerUntilTheyAreCounted) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  completions: 2\n  parallelism: 2", kRunsForever));
  cluster.Run();
  const auto is_tracked = [](const ObjectPtr& pod) {
    return HasFinalizer((*pod->tree())["metadata"], kJobTrackingFinalizer);
  };
  ASSERT_EQ(cluster.Pods().size(), 2U);
  EXPECT_TRUE(std::ranges::all_of(cluster.Pods(), is_tracked));
  const Revision before = cluster.store.revision();
  const std::string first = cluster.Pods()[0]->uid();
  ExitPod(cluster, cluster.Pods()[0], 0);
  cluster.Run();
  EXPECT_FALSE(is_tracked(cluster.Pods()[0]));
  EXPECT_TRUE(is_tracked(cluster.Pods()[1]));
  // The status named the pod before it counted it.
  std::vector<std::string> said;
  const auto changes = cluster.store.ChangesAfter(cluster.Get("batch", "jobs"), before);
  for (const ChangePtr& change : *changes) {
    const TreePtr tree = change->object->tree();
    const Json& named = (*tree)["status"]["uncountedTerminatedPods"]["succeeded"][size_t{0}];
    said.push_back(std::to_string((*tree)["status"]["succeeded"].IntOr(0)) + " " + named.text());
  }
  EXPECT_EQ(said, (std::vector<std::string>{"0 " + first, "1 "}));
}

TEST(JobController, PodsThatAreDeletedAfterTheyEndedStillCount) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  completions: 3\n  parallelism: 1\n  completionMode: Indexed"));
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
  EXPECT_TRUE(JobHas(JobStatus(cluster), "Complete"));
  EXPECT_EQ(JobStatus(cluster)["completedIndexes"].text(), "0-2");
}

TEST(JobController, ASuspendedJobHasNoPods) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  parallelism: 2\n  completions: 2", kRunsForever));
  cluster.Run();
  ASSERT_EQ(cluster.CountPods("Running"), 2U);
  const std::string stopped(cluster.Pods()[0]->name());
  cluster.Change("batch", "jobs", "work", [](Json& job) { job.Make("spec").Set("suspend", Json::Bool(true)); });
  cluster.Run();
  EXPECT_TRUE(cluster.Pods().empty());
  EXPECT_EQ(JobWhy(JobStatus(cluster), "Suspended"), "JobSuspended: Job suspended");
  EXPECT_FALSE(JobStatus(cluster).Has("startTime"));
  EXPECT_FALSE(JobStatus(cluster).Has("failed"));
  EXPECT_TRUE(HasJobEvent(cluster, "Normal SuccessfulDelete: Deleted pod: " + stopped));
  EXPECT_TRUE(HasJobEvent(cluster, "Normal Suspended: Job suspended"));
  cluster.Change("batch", "jobs", "work", [](Json& job) { job.Make("spec").Set("suspend", Json::Bool(false)); });
  cluster.Run();
  EXPECT_EQ(cluster.CountPods("Running"), 2U);
  EXPECT_FALSE(JobHas(JobStatus(cluster), "Suspended"));
  EXPECT_EQ(FindCondition(JobStatus(cluster)["conditions"], "Suspended")["reason"].text(), "JobResumed");
  EXPECT_TRUE(JobStatus(cluster).Has("startTime"));
  EXPECT_TRUE(HasJobEvent(cluster, "Normal Resumed: Job resumed"));
}

TEST(JobController, LessParallelismStopsPods) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  parallelism: 4\n  completions: 9", kRunsForever));
  cluster.Run();
  cluster.Change("batch", "jobs", "work", [](Json& job) { job.Make("spec").Set("parallelism", Json::Int(1)); });
  cluster.Run();
  EXPECT_EQ(cluster.Pods().size(), 1U);
  EXPECT_FALSE(JobStatus(cluster).Has("failed"));
}

TEST(JobController, HasADeadline) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  activeDeadlineSeconds: 10", kRunsForever));
  cluster.Run(Seconds(8));
  EXPECT_FALSE(JobHas(JobStatus(cluster), "Failed"));
  cluster.Run(Seconds(4));
  EXPECT_EQ(JobWhy(JobStatus(cluster), "Failed"), "DeadlineExceeded: Job was active longer than specified deadline");
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 1);
  EXPECT_TRUE(cluster.Pods().empty());
}

TEST(JobController, LeavesJobsOfOthersAlone) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  managedBy: example.com/other"));
  cluster.Run();
  EXPECT_TRUE(cluster.Pods().empty());
  EXPECT_TRUE(JobStatus(cluster).empty());
}

TEST(JobController, SaysWhyPodsAreNotMade) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "resourcequotas", "metadata: {name: none}\nspec: {hard: {pods: '0'}}");
  cluster.Run();
  cluster.Create("batch", "jobs", JobYaml("  parallelism: 3\n  completions: 3"));
  cluster.Run(Seconds(1));
  const std::vector<std::string> events = JobEvents(cluster);
  ASSERT_FALSE(events.empty());
  EXPECT_TRUE(events[0].starts_with("Warning FailedCreate: Error creating: pods \"work-")) << events[0];
  EXPECT_TRUE(cluster.Pods().empty());
  cluster.Delete("", "resourcequotas", "none");
  cluster.Run(Seconds(10));
  EXPECT_TRUE(JobHas(JobStatus(cluster), "Complete"));
}

TEST(JobController, SaysLittleOfManyPods) {
  TestCluster cluster;
  cluster.Create("batch", "jobs", JobYaml("  parallelism: 50\n  completions: 50"));
  cluster.Run(Seconds(1));
  EXPECT_EQ(cluster.Pods().size(), 50U);
  EXPECT_EQ(JobEvents(cluster).size(), 11U) << "ten of their own and one for the others";
}

TEST(JobController, KeepsWhatOthersSayInItsStatus) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  parallelism: 2\n  completions: 2", kRunsForever));
  cluster.Run();
  const auto say = [&](std::string_view when) {
    cluster.Change(
        "batch", "jobs", "work",
        [&](Json& job) {
          Json condition{{"type", Json::String("Custom")},
                         {"status", Json::String("True")},
                         {"lastTransitionTime", Json::String(when)}};
          job.Make("status").Set("conditions", Json::MakeList({std::move(condition)}));
        },
        "status");
    cluster.Run(Seconds(1));
    EXPECT_EQ(FindCondition(JobStatus(cluster)["conditions"], "Custom")["lastTransitionTime"].text(), when);
  };
  say("2026-01-01T01:00:00Z");
  say("2026-01-01T02:00:00Z");
  EXPECT_EQ(JobStatus(cluster)["active"].IntOr(0), 2);
  for (const ObjectPtr& pod : cluster.Pods()) ExitPod(cluster, pod, 0);
  cluster.Run(Seconds(1));
  EXPECT_TRUE(JobHas(JobStatus(cluster), "Complete"));
  EXPECT_TRUE(JobHas(JobStatus(cluster), "Custom"));
}

TEST(JobController, GoesWithItsPodsAfterItsTime) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  ttlSecondsAfterFinished: 60"));
  cluster.Run(Seconds(30));
  EXPECT_NE(cluster.Find("batch", "jobs", "work"), nullptr);
  cluster.Run(Seconds(60));
  EXPECT_EQ(cluster.Find("batch", "jobs", "work"), nullptr);
  EXPECT_TRUE(cluster.Pods().empty());
}

TEST(JobController, StartsManyPodsInBatches) {
  TestCluster cluster;
  cluster.Create("batch", "jobs", JobYaml("  parallelism: 900\n  completions: 900\n  completionMode: Indexed"));
  cluster.Run(Milliseconds(200));
  EXPECT_EQ(cluster.Pods().size(), 900U);
}

TEST(JobController, CountsEachOfManyPodsOnce) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", JobYaml("  parallelism: 520\n  completions: 520"));
  cluster.Run(Seconds(4));
  EXPECT_EQ(JobStatus(cluster)["succeeded"].IntOr(0), 520);
  EXPECT_EQ(cluster.CountPods("Succeeded"), 520U);
  EXPECT_TRUE(JobHas(JobStatus(cluster), "Complete"));
}

}  // namespace
}  // namespace berth::server
