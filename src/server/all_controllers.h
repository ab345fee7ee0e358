// SPDX-License-Identifier: Apache-2.0
// All controllers of a simulated cluster.

#pragma once

#include <string>

#include "server/controllers/controller_loop.h"
#include "server/nodes/simulated_pods.h"

namespace berth::server {

// What depends on the use that is made of a cluster.
struct ClusterRules {
  std::string root_ca = {};         // The certificates that pods know the API server by, PEM; "" if it has no TLS.
  bool is_whole = true;             // Off: owners, nodes and accounts that were never seen are elsewhere.
  bool renews_leases = true;        // Of nodes.
  bool keeps_ended_pods = true;     // Off: those that no controller counts go.
  bool evicts = true;               // Pods that do not tolerate the taints of their node or of their devices.
  bool runs_cron_jobs = true;       // Else they make no Jobs.
  bool measures_pods = true;        // Serves what they use, and scales by it.
  bool publishes_endpoints = true;  // Of Services.
  PodLives lives = {};
};

void AddControllers(ControllerLoop& loop, ClusterRules rules = {});

}  // namespace berth::server
