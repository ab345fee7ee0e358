// SPDX-License-Identifier: Apache-2.0
// JobController: runs pods until as many have succeeded as a Job asks for.
//
// Thread: that of the store.

#pragma once

#include "server/controllers/controller.h"
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
  struct Count {
    int64_t active = 0;
    int64_t ready = 0;
    int64_t succeeded = 0;
    int64_t failed = 0;
    std::vector<bool> done;  // Of an indexed job: which indices have succeeded or are at work.
  };

  Count CountPods(const StoredObject& job, const Json& tree) const;
  bool Start(const StoredObject& job, const Json& tree, const Count& count, int64_t wanted);
  bool StopAll(const StoredObject& job);
  bool Report(const StoredObject& job, const Json& tree, const Count& count, std::string_view end,
              std::string_view reason, std::string_view message);

  const Cluster& cluster_;
  const Resource& jobs_;
  const Resource& pods_;
};

}  // namespace berth::server
