// SPDX-License-Identifier: Apache-2.0
// LiveScheduler: a scheduler at work on a cluster, from its first list to its last answer.
//
// It reads the cluster, waits until it leads, makes sure that it knows all that the last leader did, and schedules
// until it is stopped or loses its lease. The core has a thread of its own; everything else happens on the event loop.
//
// Thread: that of the event loop.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/scheduler/core_sink.h"
#include "app/scheduler/core_thread.h"
#include "app/scheduler/options.h"
#include "app/scheduler/scheduler_telemetry.h"
#include "client/event_recorder.h"
#include "client/informers.h"
#include "client/leader_elector.h"
#include "client/order_runner.h"
#include "client/rest_client.h"
#include "net/event_loop.h"

namespace berth::scheduler_app {

class LiveScheduler {
 public:
  // One API server, asked by clients with rate limits of their own. All must outlive the scheduler.
  struct Clients {
    client::RestClient& main;
    client::RestClient& events;
    client::RestClient& leases;
  };
  struct Identity {
    std::string host_name;
    std::string uuid;
  };
  enum class End : uint8_t { kStopped, kLeaseLost };

  // `core` is new. `on_end` is called once, after Stop or when the lease was lost.
  LiveScheduler(net::EventLoop& loop, const Options& options, Clients clients, Identity identity,
                std::unique_ptr<scheduler::Core> core, std::unique_ptr<Recording> recording,
                SchedulerTelemetry& telemetry, std::move_only_function<void(End)> on_end);
  ~LiveScheduler();
  LiveScheduler(const LiveScheduler&) = delete;
  LiveScheduler& operator=(const LiveScheduler&) = delete;

  void Start();
  // Takes up no more pods, waits a moment for what is under way, and gives the lease up.
  void Stop();

  // Whether the core has seen the first list of everything.
  bool is_synced() const { return synced_; }
  bool is_stopping() const { return stopping_; }
  // By the last lease seen; true without leader election once it schedules.
  bool is_leading() const { return elector_ ? elector_->is_leader() : scheduling_; }
  // Why the lease is not in order, if it is not.
  std::optional<std::string> LeaseProblem() const;

  // Answered on the core's thread between two steps.
  void Ask(CoreThread::Question question) { core_->inbox().Push(CoreThread::Item(std::move(question))); }

 private:
  bool WaitsToLead() const;  // Reads nothing before it leads.
  void OnCachesSynced();
  void OnCoreSynced();
  void OnLeading(const client::Lease& lease);
  void OnElectionEnded(client::LeaderElector::End end);
  void StartScheduling();
  void Carry(std::vector<client::Order> orders);
  void Report(decltype(scheduler::Input::what) what);
  void ShowLeading(bool is_leading);
  void AwaitOrders();
  void Release();

  net::EventLoop& loop_;
  const Options& options_;
  Identity identity_;
  SchedulerTelemetry& telemetry_;
  runtime::Clock clock_;
  std::move_only_function<void(enum End)> on_end_;
  std::unique_ptr<CoreThread> core_;
  CoreSink sink_;
  client::EventRecorder events_;
  client::OrderRunner runner_;
  client::Informers informers_;
  std::optional<client::LeaderElector> elector_;
  runtime::Timer drain_;
  Time drain_end_;
  bool synced_ = false;
  bool scheduling_ = false;
  bool stopping_ = false;
};

}  // namespace berth::scheduler_app
