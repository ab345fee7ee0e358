// SPDX-License-Identifier: Apache-2.0
// JobController: runs pods until as many have succeeded as a Job asks for, or its limits and policies say that it is
// over.
//
// A look at a Job goes through these: JobLook finds its pods, EndOf says whether it is over, then pods are stopped or
// made, and JobTracking counts those that ended. The end is announced first (SuccessCriteriaMet, FailureTarget), and
// the Job is over when its last pod has gone.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/parts/selector.h"
#include "server/controllers/affected_sets.h"
#include "server/controllers/controller.h"
#include "server/controllers/jobs/job_backoff.h"
#include "server/controllers/jobs/job_end.h"
#include "server/controllers/pod_control.h"

namespace berth::server {

class JobController : public Controller {
 public:
  explicit JobController(const Cluster& cluster)
      : cluster_(cluster),
        jobs_(cluster.Get("batch", "jobs")),
        affected_(jobs_, cluster.Get("", "pods"), AffectedSets::EmptySelector::kEverything) {}

  std::string_view name() const override { return "job"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // What is remembered of a Job that is not over.
  struct Memory {
    JobBackoff backoff;
    Duration retry = kRetry;  // After a write that was refused.
  };
  // What came of a part of the work.
  struct Progress {
    bool is_done = true;                 // Off: a write was refused.
    std::optional<Duration> again = {};  // When there is more to do.
  };

  bool Claim(const StoredObject& job, const api::Selector& selector) const;
  Progress Work(JobLook& look, JobBackoff& backoff);
  // Brings the number of active pods to what it should be.
  Progress Manage(JobLook& look, const JobBackoff& backoff);
  // A part of the pods, if there are many.
  Progress Stop(JobLook& look, const std::vector<PodInfo>& pods, bool is_counted);
  Progress Start(JobLook& look, int64_t count, const JobBackoff& backoff);
  bool StartPod(JobLook& look, std::optional<int64_t> index);
  // Says whether the Job is suspended.
  void SetSuspended(JobLook& look);
  // Counts pods that ended, and the Job is over if nothing is left to count. False: a write was refused.
  bool Track(JobLook& look, const std::optional<JobEnd>& end);
  void Finish(JobLook& look, const JobEnd& end);
  // Writes the status if it changed.
  bool Flush(JobLook& look);
  void ReportFinish(const JobLook& look, const JobEnd& end);
  PodControl Control(const JobLook& look) const;

  const Cluster& cluster_;
  const Resource& jobs_;
  AffectedSets affected_;
  std::map<std::string, Memory, std::less<>> memories_;  // By the uid of the Job.
};

}  // namespace berth::server
