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
#include "server/controllers/controller.h"
#include "server/controllers/job_backoff.h"
#include "server/controllers/job_end.h"

namespace berth::server {

class JobController : public Controller {
 public:
  explicit JobController(const Cluster& cluster)
      : cluster_(cluster), jobs_(cluster.Get("batch", "jobs")), pods_(cluster.Get("", "pods")) {}

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

  void OnJob(const Change& change, const Enqueue& enqueue);
  void OnPod(const Change& change, const Enqueue& enqueue);
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
  void Report(const JobLook& look, std::string_view type, std::string_view reason, std::string message);

  const Cluster& cluster_;
  const Resource& jobs_;
  const Resource& pods_;
  std::map<std::string, api::Selector, std::less<>> selectors_;  // By the key of the Job.
  std::map<std::string, Memory, std::less<>> memories_;          // By its uid.
};

}  // namespace berth::server
