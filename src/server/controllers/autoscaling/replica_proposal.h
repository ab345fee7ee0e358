// SPDX-License-Identifier: Apache-2.0
// How many replicas a metric of an autoscaler asks for, by what the pods use.

#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "base/time.h"
#include "server/controllers/pod_index.h"

namespace berth::server {

// Of the metrics that are served: they are the averages of so long.
inline constexpr Duration kMetricWindow = Seconds(15);

struct ReplicaProposal {
  int64_t replicas = 0;
  std::string metric;  // In the words of conditions and events.
  Json status;         // What status.currentMetrics says of it.
};

struct MetricFailure {
  std::string reason;   // Such as FailedGetResourceMetric.
  std::string message;  // Of the condition and its event.
  std::string error;    // What the event about the whole autoscaler says.
};

// `metric`: one of spec.metrics. `behavior`: that of the autoscaler, which may say what difference is too small.
std::expected<ReplicaProposal, MetricFailure> ProposeReplicas(const Json& metric, const Json& behavior,
                                                              const std::vector<const PodInfo*>& pods, int64_t current,
                                                              Time now);

}  // namespace berth::server
