// SPDX-License-Identifier: Apache-2.0
// How long pods waited and how long choosing a node took, counted by length, as JSON for the dashboard.
//
// Counts only grow; who looks twice knows what happened in between. {"waited": {"bounds": [seconds], "counts": [...]},
// "chose": the same}, with one count more than bounds.
//
// Thread: any.

#pragma once

#include <string>

#include "telemetry/scheduler_metrics.h"

namespace berth::web {

std::string LatencyFigures(const telemetry::SchedulerMetrics& metrics);

}  // namespace berth::web
