// SPDX-License-Identifier: Apache-2.0
// How questions of /berth/v1/ get to the core of a live scheduler, and their answers back; and how the dashboard looks
// at it.

#pragma once

#include "app/scheduler/live_scheduler.h"
#include "app/scheduler/serving/berth_api.h"
#include "framework/feature_gates.h"
#include "net/event_loop.h"
#include "web/live_feed.h"

namespace berth::scheduler_app {

// REQUIRES: loop and scheduler outlive what is returned.
BerthApi::CoreAccess AccessTo(net::EventLoop& loop, LiveScheduler& scheduler, const framework::FeatureGates& gates);

// The same. A look is made on a thread of its own, in turns with the core.
web::LiveFeed::Read LookOn(net::EventLoop& loop, LiveScheduler& scheduler);

}  // namespace berth::scheduler_app
