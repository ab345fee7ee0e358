// SPDX-License-Identifier: Apache-2.0
// JobPodRelease: lets pods go that wait to be counted by a Job which will not do it, as it is gone or over.
//
// Thread: that of the store.

#pragma once

#include "server/controllers/controller.h"

namespace berth::server {

class JobPodRelease : public Controller {
 public:
  explicit JobPodRelease(const Cluster& cluster)
      : cluster_(cluster), jobs_(cluster.Get("batch", "jobs")), pods_(cluster.Get("", "pods")) {}

  std::string_view name() const override { return "job-pod-release"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the key of a pod.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  const Cluster& cluster_;
  const Resource& jobs_;
  const Resource& pods_;
};

}  // namespace berth::server
