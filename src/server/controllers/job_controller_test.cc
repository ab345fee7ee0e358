// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/job_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "server/controllers/job_marks.h"
#include "server/model/find_condition.h"
#include "server/model/metadata.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

// Of pods that run until something is done to them.
constexpr std::string_view kForever = "berth.dev/complete-after: 10h";

// `more`: other members of the spec; `note`: an annotation of the pods.
std::string Job(std::string_view more, std::string_view note = "") {
  return "metadata: {name: work}\nspec:\n" + std::string(more) + "\n  template:\n    metadata: {annotations: {" +
         std::string(note) + R"(}}
    spec: {restartPolicy: Never, containers: [{name: main, image: work}]}
)";
}

Json JobStatus(const TestCluster& cluster) { return cluster.Tree("batch", "jobs", "work")["status"]; }

bool Has(const Json& status, std::string_view type) { return IsTrue(status["conditions"], type); }

// Reason and message of a condition that is true.
std::string Why(const Json& status, std::string_view type) {
  const Json& condition = FindCondition(status["conditions"], type);
  if (condition["status"].text() != "True") return "";
  return condition["reason"].text() + ": " + condition["message"].text();
}

// What was reported of the Job, each as `TYPE REASON: MESSAGE`.
std::vector<std::string> JobEvents(const TestCluster& cluster) {
  std::vector<std::string> events;
  for (const auto& [key, event] : cluster.store.All(cluster.Get("", "events"))) {
    const TreePtr tree = event->tree();
    if ((*tree)["involvedObject"]["kind"].text() != "Job") continue;
    EXPECT_EQ((*tree)["source"]["component"].text(), "job-controller");
    events.push_back((*tree)["type"].text() + " " + (*tree)["reason"].text() + ": " + (*tree)["message"].text());
  }
  return events;
}

bool HasEvent(const TestCluster& cluster, std::string_view event) {
  return std::ranges::count(JobEvents(cluster), event) == 1;
}

std::vector<ObjectPtr> Active(const TestCluster& cluster) {
  std::vector<ObjectPtr> pods = cluster.Pods();
  std::erase_if(pods, [](const ObjectPtr& pod) {
    return pod->is_being_deleted() || pod->Field("status.phase") == "Succeeded" ||
           pod->Field("status.phase") == "Failed";
  });
  return pods;
}

// The active pod of this index.
ObjectPtr Indexed(const TestCluster& cluster, std::string_view index) {
  for (const ObjectPtr& pod : Active(cluster)) {
    if (pod->labels().Get(kJobIndex) == index) return pod;
  }
  return nullptr;
}

// Its container exits with this code, and that is the end of the pod.
void Exit(TestCluster& cluster, const ObjectPtr& pod, int64_t code) {
  ASSERT_NE(pod, nullptr);
  const std::string now = FormatTime(cluster.timers.WallNow());
  cluster.Change(
      "", "pods", pod->name(),
      [&](Json& changed) {
        Json terminated{{"exitCode", Json::Int(code)}, {"finishedAt", Json::String(now)}};
        Json container{{"name", Json::String("main")}, {"image", Json::String("work")},
                       {"imageID", Json::String("")},  {"ready", Json::Bool(false)},
                       {"restartCount", Json::Int(0)}, {"state", Json{{"terminated", std::move(terminated)}}}};
        changed.Make("status").Set("phase", code == 0 ? "Succeeded" : "Failed");
        changed.Make("status").Set("containerStatuses", Json::MakeList({std::move(container)}));
      },
      "status");
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
  EXPECT_EQ(status["ready"].IntOr(-1), 0);
  EXPECT_EQ(status["terminating"].IntOr(-1), 0);
  EXPECT_TRUE(status["uncountedTerminatedPods"].is_map() && status["uncountedTerminatedPods"].empty());
  EXPECT_EQ(Why(status, "SuccessCriteriaMet"), "CompletionsReached: Reached expected number of succeeded pods");
  EXPECT_EQ(Why(status, "Complete"), "CompletionsReached: Reached expected number of succeeded pods");
  EXPECT_FALSE(status["completionTime"].text().empty());
  EXPECT_TRUE(HasEvent(cluster, "Normal Completed: Job completed"));
  EXPECT_TRUE(HasEvent(cluster, "Normal SuccessfulCreate: Created pod: " + std::string(cluster.Pods()[0]->name())));
}

TEST(JobController, PodsHaveAFinalizerUntilTheyAreCounted) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  completions: 2\n  parallelism: 2", kForever));
  cluster.Run();
  const auto is_tracked = [](const ObjectPtr& pod) {
    return HasFinalizer((*pod->tree())["metadata"], kJobTrackingFinalizer);
  };
  ASSERT_EQ(cluster.Pods().size(), 2U);
  EXPECT_TRUE(std::ranges::all_of(cluster.Pods(), is_tracked));
  const Revision before = cluster.store.revision();
  const std::string first = cluster.Pods()[0]->uid();
  Exit(cluster, cluster.Pods()[0], 0);
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

TEST(JobController, GivesUpWhenTooManyHaveFailed) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  backoffLimit: 2", "berth.dev/fail-after: 1s"));
  cluster.Run(Minutes(1));
  EXPECT_EQ(cluster.CountPods("Failed"), 3U);
  const std::string why = "BackoffLimitExceeded: Job has reached the specified backoff limit";
  EXPECT_EQ(Why(JobStatus(cluster), "FailureTarget"), why);
  EXPECT_EQ(Why(JobStatus(cluster), "Failed"), why);
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 3);
  EXPECT_FALSE(JobStatus(cluster).Has("completionTime"));
  EXPECT_TRUE(HasEvent(cluster, "Warning " + why));
}

TEST(JobController, FailedPodsAreReplacedAfterABackoff) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("", kForever));
  cluster.Run();
  Exit(cluster, Active(cluster)[0], 1);
  cluster.Run(Seconds(8));
  EXPECT_TRUE(Active(cluster).empty());
  cluster.Run(Seconds(4));
  ASSERT_EQ(Active(cluster).size(), 1U);
  Exit(cluster, Active(cluster)[0], 1);
  cluster.Run(Seconds(18));
  EXPECT_TRUE(Active(cluster).empty());
  cluster.Run(Seconds(4));
  EXPECT_EQ(Active(cluster).size(), 1U);
}

TEST(JobController, RestartsCountWhereContainersRestart) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  std::string job = Job("  backoffLimit: 2", kForever);
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
  EXPECT_FALSE(Has(JobStatus(cluster), "FailureTarget"));
  restart(2);
  EXPECT_EQ(Why(JobStatus(cluster), "Failed"), "BackoffLimitExceeded: Job has reached the specified backoff limit");
}

TEST(JobController, IndexedPodsHaveTheirNumbers) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  completions: 4\n  parallelism: 3\n  completionMode: Indexed"));
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
  cluster.Run(Seconds(40));
  EXPECT_TRUE(Has(JobStatus(cluster), "Complete"));
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 1);
}

TEST(JobController, AJobCanWaitUntilPodsHaveFailedForGood) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  podReplacementPolicy: Failed", kForever));
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
  Exit(cluster, pod, 143);
  cluster.Run(Seconds(15));
  EXPECT_EQ(JobStatus(cluster)["terminating"].IntOr(-1), 0);
  EXPECT_EQ(JobStatus(cluster)["active"].IntOr(0), 1);
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 1);
}

TEST(JobController, APodThatNeverRanIsReplacedToo) {
  TestCluster cluster;
  cluster.Create("batch", "jobs", Job("  podReplacementPolicy: Failed"));
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
                 Job(R"(  backoffLimit: 0
  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]})",
                     kForever));
  cluster.Run();
  const std::string name(cluster.Pods()[0]->name());
  ASSERT_TRUE(
      EvictPod(cluster.objects, "default", name, Json{{"metadata", Json{{"name", Json::String(name)}}}}, false));
  cluster.Run(Seconds(15));
  EXPECT_EQ(cluster.Find("", "pods", name), nullptr);
  EXPECT_EQ(Active(cluster).size(), 1U);
  EXPECT_FALSE(JobStatus(cluster).Has("failed"));
}

TEST(JobController, AnExitCodeMayFailTheJob) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 Job(R"(  completions: 4
  parallelism: 2
  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]})",
                     kForever));
  cluster.Run();
  const ObjectPtr pod = Active(cluster)[0];
  Exit(cluster, pod, 42);
  cluster.Run();
  const std::string why = "PodFailurePolicy: Container main for pod default/" + std::string(pod->name()) +
                          " failed with exit code 42 matching FailJob rule at index 0";
  EXPECT_EQ(Why(JobStatus(cluster), "FailureTarget"), why);
  EXPECT_EQ(Why(JobStatus(cluster), "Failed"), why);
  EXPECT_TRUE(HasEvent(cluster, "Warning " + why));
  EXPECT_TRUE(Active(cluster).empty());
}

TEST(JobController, DisruptionsMayBeIgnored) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 Job(R"(  backoffLimit: 0
  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]})",
                     kForever));
  cluster.Run();
  const ObjectPtr pod = Active(cluster)[0];
  cluster.Change(
      "", "pods", pod->name(),
      [](Json& disrupted) {
        disrupted.Make({"status", "conditions"})
            .Append(Json{{"type", Json::String("DisruptionTarget")}, {"status", Json::String("True")}});
      },
      "status");
  Exit(cluster, pod, 137);
  cluster.Run(Seconds(15));
  EXPECT_FALSE(Has(JobStatus(cluster), "FailureTarget"));
  EXPECT_FALSE(JobStatus(cluster).Has("failed"));
  ASSERT_EQ(Active(cluster).size(), 1U);
  Exit(cluster, Active(cluster)[0], 0);
  cluster.Run();
  EXPECT_TRUE(Has(JobStatus(cluster), "Complete"));
}

TEST(JobController, EachIndexMayHaveALimitOfItsOwn) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create(
      "batch", "jobs",
      Job("  completions: 3\n  parallelism: 3\n  completionMode: Indexed\n  backoffLimitPerIndex: 1", kForever));
  cluster.Run();
  EXPECT_TRUE(JobStatus(cluster).Has("failedIndexes"));
  EXPECT_EQ(Indexed(cluster, "1")->Tree()["metadata"]["annotations"][kIndexFailures].text(), "0");
  Exit(cluster, Indexed(cluster, "0"), 0);
  Exit(cluster, Indexed(cluster, "1"), 1);
  cluster.Run(Seconds(12));
  ASSERT_NE(Indexed(cluster, "1"), nullptr);
  EXPECT_EQ(Indexed(cluster, "1")->Tree()["metadata"]["annotations"][kIndexFailures].text(), "1");
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 1);
  EXPECT_EQ(JobStatus(cluster)["failedIndexes"].text(), "");
  Exit(cluster, Indexed(cluster, "1"), 1);
  cluster.Run(Seconds(30));
  EXPECT_EQ(Indexed(cluster, "1"), nullptr);
  EXPECT_EQ(JobStatus(cluster)["failedIndexes"].text(), "1");
  EXPECT_FALSE(Has(JobStatus(cluster), "FailureTarget")) << "the others go on";
  Exit(cluster, Indexed(cluster, "2"), 0);
  cluster.Run();
  EXPECT_EQ(Why(JobStatus(cluster), "Failed"), "FailedIndexes: Job has failed indexes");
  EXPECT_EQ(JobStatus(cluster)["completedIndexes"].text(), "0,2");
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 2);
  EXPECT_EQ(JobStatus(cluster)["succeeded"].IntOr(0), 2);
}

TEST(JobController, TooManyFailedIndexesFailTheJob) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 Job(R"(  completions: 4
  parallelism: 4
  completionMode: Indexed
  backoffLimitPerIndex: 3
  maxFailedIndexes: 1
  podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [2]}}]})",
                     kForever));
  cluster.Run();
  Exit(cluster, Indexed(cluster, "3"), 2);
  cluster.Run();
  EXPECT_EQ(JobStatus(cluster)["failedIndexes"].text(), "3");
  Exit(cluster, Indexed(cluster, "1"), 2);
  cluster.Run();
  EXPECT_EQ(Why(JobStatus(cluster), "FailureTarget"),
            "MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes");
  EXPECT_EQ(JobStatus(cluster)["failedIndexes"].text(), "1,3");
}

TEST(JobController, SomeIndexesMayBeEnough) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs",
                 Job(R"(  completions: 5
  parallelism: 5
  completionMode: Indexed
  successPolicy: {rules: [{succeededIndexes: "0,4"}, {succeededIndexes: "1-3", succeededCount: 2}]})",
                     kForever));
  cluster.Run();
  Exit(cluster, Indexed(cluster, "1"), 0);
  Exit(cluster, Indexed(cluster, "4"), 0);
  cluster.Run();
  EXPECT_FALSE(Has(JobStatus(cluster), "SuccessCriteriaMet"));
  Exit(cluster, Indexed(cluster, "3"), 0);
  cluster.Run();
  EXPECT_EQ(Why(JobStatus(cluster), "SuccessCriteriaMet"), "SuccessPolicy: Matched rules at index 1");
  EXPECT_EQ(Why(JobStatus(cluster), "Complete"), "SuccessPolicy: Matched rules at index 1");
  EXPECT_EQ(JobStatus(cluster)["completedIndexes"].text(), "1,3,4");
  EXPECT_FALSE(JobStatus(cluster).Has("failed")) << "those that were stopped did not fail";
  EXPECT_TRUE(Active(cluster).empty());
}

TEST(JobController, ASuspendedJobHasNoPods) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  parallelism: 2\n  completions: 2", kForever));
  cluster.Run();
  ASSERT_EQ(cluster.CountPods("Running"), 2U);
  const std::string stopped(cluster.Pods()[0]->name());
  cluster.Change("batch", "jobs", "work", [](Json& job) { job.Make("spec").Set("suspend", Json::Bool(true)); });
  cluster.Run();
  EXPECT_TRUE(cluster.Pods().empty());
  EXPECT_EQ(Why(JobStatus(cluster), "Suspended"), "JobSuspended: Job suspended");
  EXPECT_FALSE(JobStatus(cluster).Has("startTime"));
  EXPECT_FALSE(JobStatus(cluster).Has("failed"));
  EXPECT_TRUE(HasEvent(cluster, "Normal SuccessfulDelete: Deleted pod: " + stopped));
  EXPECT_TRUE(HasEvent(cluster, "Normal Suspended: Job suspended"));
  cluster.Change("batch", "jobs", "work", [](Json& job) { job.Make("spec").Set("suspend", Json::Bool(false)); });
  cluster.Run();
  EXPECT_EQ(cluster.CountPods("Running"), 2U);
  EXPECT_FALSE(Has(JobStatus(cluster), "Suspended"));
  EXPECT_EQ(FindCondition(JobStatus(cluster)["conditions"], "Suspended")["reason"].text(), "JobResumed");
  EXPECT_TRUE(JobStatus(cluster).Has("startTime"));
  EXPECT_TRUE(HasEvent(cluster, "Normal Resumed: Job resumed"));
}

TEST(JobController, LessParallelismStopsPods) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  parallelism: 4\n  completions: 9", kForever));
  cluster.Run();
  cluster.Change("batch", "jobs", "work", [](Json& job) { job.Make("spec").Set("parallelism", Json::Int(1)); });
  cluster.Run();
  EXPECT_EQ(cluster.Pods().size(), 1U);
  EXPECT_FALSE(JobStatus(cluster).Has("failed"));
}

TEST(JobController, HasADeadline) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  activeDeadlineSeconds: 10", kForever));
  cluster.Run(Seconds(8));
  EXPECT_FALSE(Has(JobStatus(cluster), "Failed"));
  cluster.Run(Seconds(4));
  EXPECT_EQ(Why(JobStatus(cluster), "Failed"), "DeadlineExceeded: Job was active longer than specified deadline");
  EXPECT_EQ(JobStatus(cluster)["failed"].IntOr(0), 1);
  EXPECT_TRUE(cluster.Pods().empty());
}

TEST(JobController, LeavesJobsOfOthersAlone) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  managedBy: example.com/other"));
  cluster.Run();
  EXPECT_TRUE(cluster.Pods().empty());
  EXPECT_TRUE(JobStatus(cluster).empty());
}

TEST(JobController, TakesOverPodsThatMatchAndLetsGoOfOthers) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  parallelism: 1\n  completions: 1", kForever));
  cluster.Run();
  const std::string name(cluster.Pods()[0]->name());
  cluster.Change("", "pods", name, [](Json& pod) { pod.Make("metadata").Erase("ownerReferences"); });
  cluster.Run();
  Json metadata = cluster.Tree("", "pods", name)["metadata"];
  EXPECT_EQ(metadata["ownerReferences"][size_t{0}]["name"].text(), "work");
  EXPECT_TRUE(HasFinalizer(metadata, kJobTrackingFinalizer));
  cluster.Change("", "pods", name, [](Json& pod) { pod.Make("metadata").Erase("labels"); });
  cluster.Run();
  metadata = cluster.Tree("", "pods", name)["metadata"];
  EXPECT_FALSE(metadata.Has("ownerReferences"));
  EXPECT_FALSE(HasFinalizer(metadata, kJobTrackingFinalizer));
  EXPECT_EQ(cluster.Pods().size(), 2U) << "another one took its place";
}

TEST(JobController, PodsGoWithTheirJob) {
  using How = DeleteOptions::Propagation;
  for (const How how : {How::kBackground, How::kForeground, How::kOrphan}) {
    TestCluster cluster;
    cluster.AddNode("node-1");
    cluster.Create("batch", "jobs", Job("  parallelism: 3\n  completions: 3", kForever));
    cluster.Run();
    cluster.Delete("batch", "jobs", "work", {.propagation = how});
    cluster.Run();
    EXPECT_EQ(cluster.Find("batch", "jobs", "work"), nullptr);
    EXPECT_EQ(cluster.Pods().size(), how == How::kOrphan ? 3U : 0U);
    for (const ObjectPtr& pod : cluster.Pods()) EXPECT_FALSE((*pod->tree())["metadata"].Has("finalizers"));
  }
}

TEST(JobController, SaysWhyPodsAreNotMade) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "resourcequotas", "metadata: {name: none}\nspec: {hard: {pods: '0'}}");
  cluster.Run();
  cluster.Create("batch", "jobs", Job("  parallelism: 3\n  completions: 3"));
  cluster.Run(Seconds(1));
  const std::vector<std::string> events = JobEvents(cluster);
  ASSERT_FALSE(events.empty());
  EXPECT_TRUE(events[0].starts_with("Warning FailedCreate: Error creating: pods \"work-")) << events[0];
  EXPECT_TRUE(cluster.Pods().empty());
  cluster.Delete("", "resourcequotas", "none");
  cluster.Run(Seconds(10));
  EXPECT_TRUE(Has(JobStatus(cluster), "Complete"));
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

TEST(JobController, CountsEachOfManyPodsOnce) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "jobs", Job("  parallelism: 520\n  completions: 520"));
  cluster.Run(Seconds(4));
  EXPECT_EQ(JobStatus(cluster)["succeeded"].IntOr(0), 520);
  EXPECT_EQ(cluster.CountPods("Succeeded"), 520U);
  EXPECT_TRUE(Has(JobStatus(cluster), "Complete"));
}

}  // namespace
}  // namespace berth::server
