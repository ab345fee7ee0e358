// SPDX-License-Identifier: Apache-2.0
// ControllerLoop: runs controllers beside the API server, in turns short enough for requests to come between.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/timers.h"
#include "server/controllers/controller.h"

namespace berth::server {

class ControllerLoop {
 public:
  // REQUIRES: all outlive this.
  ControllerLoop(Store& store, Objects& objects, runtime::Timers& timers, uint64_t seed);
  ControllerLoop(const ControllerLoop&) = delete;
  ControllerLoop& operator=(const ControllerLoop&) = delete;

  const Cluster& cluster() const { return cluster_; }
  // REQUIRES: Start was not called.
  void Add(std::unique_ptr<Controller> controller);
  // Tells all controllers what is there, and from now on what changes.
  void Start();

 private:
  struct Entry {
    std::unique_ptr<Controller> controller;
    Controller::Enqueue enqueue;
    std::set<std::string, std::less<>> queued;
    std::map<std::string, Time, std::less<>> delayed;  // When each is due.
  };
  struct Job {
    Entry* entry;
    std::string key;
  };

  void OnChange(const Change& change);
  void Enqueue(Entry& entry, std::string key, Duration delay);
  void Turn();

  Store& store_;
  runtime::Timers& timers_;
  Random random_;
  PodIndex pods_;
  SimilarEvents similar_events_;
  Cluster cluster_;
  const Resource& pod_resource_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::deque<Job> jobs_;
  runtime::Timer turn_;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);  // For work that is due later.
};

}  // namespace berth::server
