// SPDX-License-Identifier: Apache-2.0
// AskPodUsage: what all pods of a live scheduler request, for /metrics/resources.

#pragma once

#include "app/scheduler/live_scheduler.h"
#include "app/scheduler/serving/serving_handler.h"
#include "net/event_loop.h"

namespace berth::scheduler_app {

// The core is asked on its own thread; `done` is called on that of the loop.
void AskPodUsage(net::EventLoop& loop, LiveScheduler& scheduler, ServingParts::OnUsage done);

}  // namespace berth::scheduler_app
