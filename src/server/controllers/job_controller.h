// SPDX-License-Identifier: Apache-2.0
// JobController: runs pods until as many have succeeded as a Job asks for, or too many have failed.
//
// A pod that fails is replaced at once. Pods that are deleted after they ended still count.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/controllers/controller.h"
#include "server/controllers/job_status.h"
#include "server/controllers/owned_pods.h"

namespace berth::server {

class JobController : public Controller {
 public:
  explicit JobController(const Cluster& cluster)
      : cluster_(cluster), jobs_(cluster.Get("batch", "jobs")), pods_(cluster.Get("", "pods")) {}

  std::string_view name() const override { return "job"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // Pods that ended and were deleted since.
  struct Gone {
    int64_t succeeded = 0;
    int64_t failed = 0;
    std::vector<int64_t> indices;  // That have succeeded.
  };

  void Remember(const PodInfo& pod);
  JobCounts CountPods(const StoredObject& job, const Json& tree) const;
  // Looks at a job that is not over, and returns when to look again.
  std::optional<Duration> Work(const StoredObject& job, const Json& tree);
  std::optional<Duration> Expire(const StoredObject& job, const Json& tree);
  // Whether all that was to be done was done.
  bool Start(const StoredObject& job, const Json& tree, const JobCounts& counts, int64_t wanted);
  bool Stop(const StoredObject& job, int64_t count);
  bool Report(const StoredObject& job, const Json& tree, const JobCounts& counts, const std::optional<JobEnd>& end);

  const Cluster& cluster_;
  const Resource& jobs_;
  const Resource& pods_;
  std::map<std::string, Gone, std::less<>> gone_;  // By the uid of the job.
};

}  // namespace berth::server
