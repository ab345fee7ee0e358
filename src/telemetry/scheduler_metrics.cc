// SPDX-License-Identifier: Apache-2.0
#include "telemetry/scheduler_metrics.h"

#include <limits>

namespace berth::telemetry {

SchedulerMetrics::SchedulerMetrics(Registry& r) : in_(r) {
  for (const char* queue : {"active", "backoff", "unschedulable", "gated", "incomplete", "pending"})
    pending_pods.With(queue);
}

ClientMetrics::ClientMetrics(Registry& r) : in_(r) { exec_plugin_ttl.Set(std::numeric_limits<double>::infinity()); }

}  // namespace berth::telemetry
