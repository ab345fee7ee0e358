// SPDX-License-Identifier: Apache-2.0
// CronJobController: makes a Job each time the schedule of a CronJob says so, and forgets old ones.
//
// Of several times that were missed, only the last is made up for.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/controllers/controller.h"
#include "server/controllers/jobs/cron_times.h"

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
    TreePtr tree;
  };
  // A CronJob and its Jobs, as they are found. The status is what it shall say.
  struct Look {
    ObjectPtr object;
    Json tree;
    Json status;
    std::vector<Job> jobs;
  };
  // When to look again. Fails if a write was refused.
  using Next = Result<std::optional<Duration>>;

  void OnCronJob(const Change& change, const Enqueue& enqueue) const;
  std::vector<Job> JobsOf(const StoredObject& cron_job) const;
  // Deletes the oldest Jobs that ended in this way, so that no more than `limit` stay.
  void Prune(Look& look, std::string_view end, const Json& limit);
  // Strikes Jobs from the active ones that have ended, or gone.
  void UpdateActive(Look& look);
  void NoteEnd(Look& look, const Job& job, const Json& end, bool was_active);
  Next Run(Look& look);
  // Makes the Job of this time, unless active ones forbid it.
  Next RunAt(Look& look, const CronTimes& times, Time due);
  bool Replace(Look& look);
  bool Delete(Look& look, const StoredObject& job);
  void Report(const Look& look, std::string_view type, std::string_view reason, std::string message);

  const Cluster& cluster_;
  const Resource& cron_jobs_;
  const Resource& jobs_;
};

}  // namespace berth::server
