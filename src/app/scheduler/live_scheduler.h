// SPDX-License-Identifier: Apache-2.0
// LiveScheduler: a scheduler at work on a cluster.
//
// It joins a session with the API server, which runs on the event loop, and a core with a thread of its own.
//
// Thread: that of the event loop.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/scheduler/core_sink.h"
#include "app/scheduler/core_thread.h"
#include "app/scheduler/flags/options.h"
#include "app/scheduler/questions.h"
#include "app/scheduler/scheduler_telemetry.h"
#include "client/scheduler_session.h"
#include "net/event_loop.h"

namespace berth::scheduler_app {

class LiveScheduler {
 public:
  using Clients = client::SchedulerSession::Clients;
  using End = client::SchedulerSession::End;
  struct Identity {
    std::string host_name;
    std::string uuid;
  };

  // `core` is new. `on_end` is called once, after Stop or when the lease was lost.
  LiveScheduler(net::EventLoop& loop, const Options& options, Clients clients, const Identity& identity,
                std::unique_ptr<scheduler::Core> core, std::unique_ptr<Recording> recording,
                SchedulerTelemetry& telemetry, std::move_only_function<void(End)> on_end);
  LiveScheduler(const LiveScheduler&) = delete;
  LiveScheduler& operator=(const LiveScheduler&) = delete;

  void Start() { session_.Start(); }
  void Stop() { session_.Stop(); }

  bool is_synced() const { return session_.is_synced(); }
  bool is_stopping() const { return session_.is_stopping(); }
  bool is_leading() const { return session_.is_leading(); }
  std::optional<std::string> LeaseProblem() const { return session_.LeaseProblem(); }

  // The nodes that the watch has brought, sorted.
  std::vector<std::string> NodeNames() const { return session_.NodeNames(); }

  // Answered on the core's thread between two steps, once all that was brought before has been seen.
  void Ask(CoreThread::Question question) { sink_.Ask(std::move(question)); }
  // Decides by another configuration from the next attempt on. REQUIRES: it makes valid profiles.
  void Reconfigure(framework::SchedulerConfiguration configuration) { sink_.Reconfigure(std::move(configuration)); }
  // An event about the lease, if this scheduler has led.
  void Tell(std::string_view type, std::string_view reason, std::string note) {
    session_.Tell(type, reason, std::move(note));
  }
  // What takes longer than a moment.
  Questions& questions() { return questions_; }
  // The same for what is looked at all the time: one look at once, which others do not hold up.
  Questions& looks() { return looks_; }

 private:
  CoreThread core_;
  Questions questions_{core_.core(), core_.baton()};
  Questions looks_{core_.core(), core_.baton(), {.at_once = 1, .time = Seconds(5)}};
  CoreSink sink_;
  client::SchedulerSession session_;
};

}  // namespace berth::scheduler_app
