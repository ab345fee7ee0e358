// SPDX-License-Identifier: Apache-2.0
// How questions of /berth/v1/ get to the core of a live scheduler, and their answers back.

#pragma once

#include <utility>

#include "app/scheduler/live_scheduler.h"
#include "app/scheduler/serving/berth_api.h"
#include "net/event_loop.h"

namespace berth::scheduler_app {

// REQUIRES: both outlive what is returned.
inline BerthApi::Ask AskOn(net::EventLoop& loop, LiveScheduler& scheduler) {
  return [&loop, &scheduler](BerthApi::Question question, BerthApi::Done done) {
    scheduler.Ask([&loop, question = std::move(question), done = std::move(done)](const scheduler::Core& core) mutable {
      loop.Post([answer = question(core), done = std::move(done)]() mutable { done(std::move(answer)); });
    });
  };
}

}  // namespace berth::scheduler_app
