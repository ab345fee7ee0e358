// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/cron_job_controller.h"

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
  EXPECT_EQ(job["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"].text(),
            "2026-01-01T00:05:00Z");
  EXPECT_EQ(CronStatus(cluster)["lastScheduleTime"].text(), "2026-01-01T00:05:00Z");
  EXPECT_FALSE(CronStatus(cluster)["lastSuccessfulTime"].text().empty());
  EXPECT_FALSE(CronStatus(cluster).Has("active"));
}

TEST(CronJobController, KeepsTheLastJobs) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "cronjobs", CronJob("  successfulJobsHistoryLimit: 2"));
  cluster.Run(Minutes(26));
  ASSERT_EQ(Jobs(cluster).size(), 2U);
  EXPECT_EQ(
      Jobs(cluster)[1]->Tree()["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"].text(),
      "2026-01-01T00:25:00Z");
}

TEST(CronJobController, ForbidWaitsForTheActiveJob) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("batch", "cronjobs", CronJob("  concurrencyPolicy: Forbid", "berth.dev/complete-after: 7m"));
  cluster.Run(Minutes(11));
  EXPECT_EQ(Jobs(cluster).size(), 1U);
  EXPECT_EQ(CronStatus(cluster)["active"].size(), 1U);
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
