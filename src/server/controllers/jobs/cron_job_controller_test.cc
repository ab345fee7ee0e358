// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/cron_job_controller.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

// The clock of a test begins at midnight.
std::string CronJob(std::string_view more, std::string_view note = "") {
  return "metadata: {name: tick}\nspec:\n  schedule: '*/5 * * * *'\n" + std::string(more) + R"(
  jobTemplate:
    metadata: {labels: {from: tick}}
    spec:
      template:
        metadata: {annotations: {)" +
         std::string(note) + R"(}}
        spec: {restartPolicy: Never, containers: [{name: main, image: work}]}
)";
}

std::vector<ObjectPtr> Jobs(const TestCluster& cluster) {
  std::vector<ObjectPtr> jobs;
  for (const auto& [key, job] : cluster.store.All(cluster.Get("batch", "jobs"))) jobs.push_back(job);
  return jobs;
}

Json CronStatus(const TestCluster& cluster) { return cluster.Tree("batch", "cronjobs", "tick")["status"]; }

std::string Scheduled(const StoredObject& job) {
  return (*job.tree())["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"].text();
}

// Whether this was reported once of the CronJob, as `TYPE REASON: MESSAGE`.
bool HasCronEvent(const TestCluster& cluster, std::string_view wanted) {
  int64_t count = 0;
  for (const auto& [key, event] : cluster.store.All(cluster.Get("", "events"))) {
    const TreePtr tree = event->tree();
    if ((*tree)["involvedObject"]["kind"].text() != "CronJob") continue;
    EXPECT_EQ((*tree)["source"]["component"].text(), "cronjob-controller");
    const std::string text = (*tree)["type"].text() + " " + (*tree)["reason"].text() + ": " + (*tree)["message"].text();
    count += text == wanted ? 1 : 0;
  }
  return count == 1;
}

TEST(CronJobController, MakesAJobAtEachTime) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "cronjobs", CronJob(""));
  cluster.Run(Minutes(4));
  EXPECT_TRUE(Jobs(cluster).empty());
  cluster.Run(Minutes(2));
  ASSERT_EQ(Jobs(cluster).size(), 1U);
  const Json job = Jobs(cluster)[0]->Tree();
  EXPECT_EQ(job["metadata"]["labels"]["from"].text(), "tick");
  EXPECT_EQ(Scheduled(*Jobs(cluster)[0]), "2026-01-01T00:05:00Z");
  EXPECT_EQ(CronStatus(cluster)["lastScheduleTime"].text(), "2026-01-01T00:05:00Z");
  EXPECT_FALSE(CronStatus(cluster)["lastSuccessfulTime"].text().empty());
  EXPECT_FALSE(CronStatus(cluster).Has("active"));
  const std::string name = job["metadata"]["name"].text();
  EXPECT_TRUE(HasCronEvent(cluster, "Normal SuccessfulCreate: Created job " + name));
  EXPECT_TRUE(HasCronEvent(cluster, "Normal SawCompletedJob: Saw completed job: " + name + ", condition: Complete"));
}

TEST(CronJobController, KeepsTheLastJobs) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "cronjobs", CronJob("  successfulJobsHistoryLimit: 2"));
  cluster.Run(Minutes(6));
  const std::string first(Jobs(cluster)[0]->name());
  cluster.Run(Minutes(20));
  ASSERT_EQ(Jobs(cluster).size(), 2U);
  EXPECT_EQ(Scheduled(*Jobs(cluster)[1]), "2026-01-01T00:25:00Z");
  EXPECT_TRUE(HasCronEvent(cluster, "Normal SuccessfulDelete: Deleted job " + first));
}

TEST(CronJobController, KeepsTheLastFailedJobs) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  std::string job = CronJob("  failedJobsHistoryLimit: 1", "berth.dev/fail-after: 1s");
  job.insert(job.find("      template:"), "      backoffLimit: 0\n");
  cluster.Create("batch", "cronjobs", job);
  cluster.Run(Minutes(16));
  ASSERT_EQ(Jobs(cluster).size(), 1U);
  EXPECT_EQ(Scheduled(*Jobs(cluster)[0]), "2026-01-01T00:15:00Z");
}

TEST(CronJobController, GoesByTheTimeZone) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  std::string job = CronJob("  timeZone: Asia/Kolkata");
  job.replace(job.find("*/5 * * * *"), 11, "40 5 * * *");
  cluster.Create("batch", "cronjobs", job);
  cluster.Run(Minutes(9));
  EXPECT_TRUE(Jobs(cluster).empty());
  cluster.Run(Minutes(2));
  ASSERT_EQ(Jobs(cluster).size(), 1U);
  EXPECT_EQ(Scheduled(*Jobs(cluster)[0]), "2026-01-01T05:40:00+05:30");
}

TEST(CronJobController, NoticesThatAJobHasGone) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "cronjobs", CronJob("", "berth.dev/complete-after: 1h"));
  cluster.Run(Minutes(6));
  const std::string name(Jobs(cluster)[0]->name());
  EXPECT_EQ(CronStatus(cluster)["active"][size_t{0}]["name"].text(), name);
  cluster.Delete("batch", "jobs", name);
  cluster.Run();
  EXPECT_FALSE(CronStatus(cluster).Has("active"));
  EXPECT_TRUE(HasCronEvent(cluster, "Normal MissingJob: Active job went missing: " + name));
  EXPECT_TRUE(Jobs(cluster).empty()) << "its time is over";
}

TEST(CronJobController, ANewScheduleMakesUpForNothing) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  std::string job = CronJob("");
  job.replace(job.find("*/5 * * * *"), 11, "30 * * * *");
  cluster.Create("batch", "cronjobs", job);
  cluster.Run(Minutes(7));
  cluster.Change("batch", "cronjobs", "tick",
                 [](Json& changed) { changed.Make("spec").Set("schedule", "*/5 * * * *"); });
  cluster.Run(Minutes(2));
  EXPECT_TRUE(Jobs(cluster).empty());
  cluster.Run(Minutes(2));
  EXPECT_EQ(Jobs(cluster).size(), 1U);
}

TEST(CronJobController, ForbidWaitsForTheActiveJob) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "cronjobs", CronJob("  concurrencyPolicy: Forbid", "berth.dev/complete-after: 7m"));
  cluster.Run(Minutes(11));
  EXPECT_EQ(Jobs(cluster).size(), 1U);
  EXPECT_EQ(CronStatus(cluster)["active"].size(), 1U);
  EXPECT_TRUE(HasCronEvent(cluster,
                           "Normal JobAlreadyActive: Not starting job because prior execution is running and "
                           "concurrency policy is Forbid"));
  cluster.Run(Minutes(2));  // It has ended by then, and the time that was missed is made up for.
  EXPECT_EQ(Jobs(cluster).size(), 2U);
}

TEST(CronJobController, ReplaceStopsTheActiveJob) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "cronjobs", CronJob("  concurrencyPolicy: Replace", "berth.dev/complete-after: 1h"));
  cluster.Run(Minutes(6));
  const std::string first = Jobs(cluster)[0]->uid();
  cluster.Run(Minutes(5));
  ASSERT_EQ(Jobs(cluster).size(), 1U);
  EXPECT_NE(Jobs(cluster)[0]->uid(), first);
  EXPECT_EQ(cluster.Pods().size(), 1U);
}

TEST(CronJobController, AllowRunsThemSideBySide) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "cronjobs", CronJob("", "berth.dev/complete-after: 1h"));
  cluster.Run(Minutes(11));
  EXPECT_EQ(Jobs(cluster).size(), 2U);
  EXPECT_EQ(CronStatus(cluster)["active"].size(), 2U);
}

TEST(CronJobController, IsNoLaterThanItsMinute) {
  for (const std::string_view policy : {"Allow", "Replace"}) {
    SCOPED_TRACE(policy);
    TestCluster cluster;
    cluster.AddNode("node-1");
    cluster.Run(Seconds(30));
    std::string job = CronJob("  concurrencyPolicy: " + std::string(policy), "berth.dev/complete-after: 5m");
    job.replace(job.find("*/5 * * * *"), 11, "*/1 * * * ?");
    cluster.Create("batch", "cronjobs", job);
    cluster.Run(Milliseconds(29'500));
    EXPECT_TRUE(Jobs(cluster).empty());
    cluster.Run(Seconds(1));
    ASSERT_EQ(Jobs(cluster).size(), 1U);
    EXPECT_EQ(CronStatus(cluster)["active"].size(), 1U);
    const std::string first = Jobs(cluster)[0]->uid();
    cluster.Run(Milliseconds(59'000));
    EXPECT_EQ(Jobs(cluster).size(), 1U);
    cluster.Run(Seconds(1));
    const size_t expected = policy == "Allow" ? 2 : 1;
    EXPECT_EQ(Jobs(cluster).size(), expected);
    EXPECT_EQ(CronStatus(cluster)["active"].size(), expected);
    EXPECT_NE(Jobs(cluster).back()->uid(), first);
  }
}

TEST(CronJobController, ASuspendedOneDoesNothing) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "cronjobs", CronJob("  suspend: true\n  startingDeadlineSeconds: 10"));
  cluster.Run(Minutes(12));
  EXPECT_TRUE(Jobs(cluster).empty());
  cluster.Change("batch", "cronjobs", "tick", [](Json& job) { job.Make("spec").Set("suspend", Json::Bool(false)); });
  cluster.Run(Minutes(1));
  EXPECT_TRUE(Jobs(cluster).empty()) << "what was missed is too old";
  cluster.Run(Minutes(3));
  EXPECT_EQ(Jobs(cluster).size(), 1U);
}

}  // namespace
}  // namespace berth::server
