// SPDX-License-Identifier: Apache-2.0
// Writes the state of a scheduling queue in the form of the recorded vectors.

#pragma once

#include "api/document/json_writer.h"
#include "cluster/cluster.h"
#include "queue/scheduling_queue.h"

namespace berth::conformance {

// Appends the members of an open object. Times are milliseconds after `start`.
void WriteQueueState(const queue::SchedulingQueue& queue, const queue::PluginNames& names,
                     const cluster::Cluster& cluster, Time start, api::JsonWriter& json);

}  // namespace berth::conformance
