// SPDX-License-Identifier: Apache-2.0
// CronJobController: makes a Job each time the schedule of a CronJob says so, and forgets old ones.
//
// Schedules are in UTC. Of several times that were missed, only the last is made up for.
//
// Thread: that of the store.

#pragma once

#include <vector>

#include "server/controllers/controller.h"

namespace berth::server {

class CronJobController : public Controller {
 public:
  explicit CronJobController(const Cluster& cluster)
      : cluster_(cluster), cron_jobs_(cluster.Get("batch", "cronjobs")), jobs_(cluster.Get("batch", "jobs")) {}

  std::string_view name() const override { return "cronjob"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  struct Job {
    ObjectPtr object;
    Json tree;
  };

  // Oldest first.
  std::vector<Job> JobsOf(const StoredObject& cron_job) const;
  // Whether all that was to be done was done.
  bool Prune(const std::vector<Job>& jobs, std::string_view end, int64_t limit);
  // Starts the job of `due`, unless those that are `active` forbid it.
  bool Run(const StoredObject& cron_job, const Json& tree, const std::vector<Job>& active, Time due);
  bool Create(const StoredObject& cron_job, const Json& tree, Time due);
  bool Report(const StoredObject& cron_job, const std::vector<Job>& jobs);

  const Cluster& cluster_;
  const Resource& cron_jobs_;
  const Resource& jobs_;
};

}  // namespace berth::server
