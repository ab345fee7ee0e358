// SPDX-License-Identifier: Apache-2.0
// EmbeddedScheduler: Berth's scheduler beside an API server in the same process.
//
// Thread: that of the event loop.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/scheduler/flags/options.h"
#include "app/scheduler/live_scheduler.h"
#include "app/scheduler/scheduler_telemetry.h"
#include "app/up/options.h"
#include "base/result.h"
#include "client/access/credentials.h"
#include "client/orders/extender_caller.h"
#include "client/request/rest_client.h"
#include "net/event_loop.h"
#include "server/local_transport.h"
#include "world/world.h"

namespace berth::up {

class EmbeddedScheduler {
 public:
  // All must outlive the scheduler.
  static Result<std::unique_ptr<EmbeddedScheduler>> Create(net::EventLoop& loop, world::World& world,
                                                           const Options& asked);
  EmbeddedScheduler(const EmbeddedScheduler&) = delete;
  EmbeddedScheduler& operator=(const EmbeddedScheduler&) = delete;

  void Start() { scheduler_->Start(); }
  // `done` is called once it has ended.
  void Stop(std::move_only_function<void()> done);

  const telemetry::Registry& metrics() const { return telemetry_.registry; }
  const telemetry::SchedulerMetrics& scheduler_metrics() const { return telemetry_.scheduler; }
  scheduler_app::LiveScheduler& live() { return *scheduler_; }

 private:
  EmbeddedScheduler(net::EventLoop& loop, world::World& world, scheduler_app::Options options);

  scheduler_app::Options options_;
  scheduler_app::SchedulerTelemetry telemetry_;
  server::LocalTransport transport_;
  std::unique_ptr<client::Credentials> credentials_;
  client::RestClient client_;
  std::unique_ptr<client::ExtenderCaller> extenders_;
  std::move_only_function<void()> on_end_;
  std::unique_ptr<scheduler_app::LiveScheduler> scheduler_;
};

}  // namespace berth::up
