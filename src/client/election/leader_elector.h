// SPDX-License-Identifier: Apache-2.0
// LeaderElector: sees to it that one of several instances leads, by means of a Lease.
//
// It tries to take the lease until it has it, and then renews it. Whether a lease has expired is judged by when its
// last change was seen here and not by the times in it, so the clocks of the instances may differ. It has lost the
// lease when it could not renew it within the renew deadline, or sees that another holds it; then it stops for good.
//
// Thread: that of the client and the timers.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/time.h"
#include "client/election/lease.h"
#include "client/request/rest_client.h"
#include "runtime/loop.h"
#include "runtime/timers.h"

namespace berth::client {

class LeaderElector {
 public:
  struct Options {
    std::string ns = "kube-system";
    std::string name = "kube-scheduler";
    std::string identity;
    Duration lease_duration = Seconds(15);
    Duration renew_deadline = Seconds(10);
    Duration retry_period = Seconds(2);
    uint64_t seed = 0;
  };
  enum class End : uint8_t { kStopped, kLost };
  // No callback may destroy the elector.
  struct Callbacks {
    // It leads now. The lease as it is then.
    std::move_only_function<void(const Lease&)> on_started;
    // It leads no more, or stopped before it ever did. Called once.
    std::move_only_function<void(End)> on_stopped;
    // Another identity holds the lease, perhaps its own; empty: nobody does.
    std::move_only_function<void(const std::string&)> on_new_leader;
    // Something failed that will be tried again.
    std::move_only_function<void(const std::string&)> on_failure;
  };

  LeaderElector(RestClient& client, runtime::Timers& timers, Options options, Callbacks callbacks);
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  void Start();
  // Gives the lease up if it has it, for at most the renew deadline, and then calls on_stopped.
  // REQUIRES: the caller has ceased to do what only the leader may do.
  void Stop();

  // By the last lease seen.
  bool is_leader() const { return observed_.holder == options_.identity; }
  const std::string& leader() const { return observed_.holder; }

  // Why the process is not healthy, if it should lead but has not renewed the lease for `tolerance` more than its
  // duration.
  std::optional<std::string> CheckHealth(Duration tolerance = Seconds(20)) const;

 private:
  enum class Phase : uint8_t { kIdle, kAcquiring, kLeading, kReleasing, kEnded };
  using Next = void (LeaderElector::*)(Result<RestAnswer>);

  void Try();
  void OnRenewed(Result<RestAnswer> answer);
  void OnRead(Result<RestAnswer> answer);
  void OnWritten(Result<RestAnswer> answer);
  void Read(Next next);
  void Succeed(Lease lease);
  void TryLater();
  void Lead();
  Duration RetryDelay();
  void StartDeadline();
  void Release();
  void OnReadForRelease(Result<RestAnswer> answer);
  void OnReleased(Result<RestAnswer> answer);
  void Finish(End end);

  void Send(std::string method, std::string body, Next next);
  void Observe(LeaseRecord record);
  bool IsValid() const;
  LeaseRecord NewRecord() const;
  void ReportLeader();
  void ReportFailure(std::string_view what, const Error& error);

  RestClient& client_;
  runtime::Timers& timers_;
  const Options options_;
  const Duration request_timeout_;
  Callbacks callbacks_;
  Random random_;
  runtime::Loop retry_;
  runtime::Timer deadline_;
  RestClient::CallId call_ = 0;

  Phase phase_ = Phase::kIdle;
  std::optional<Lease> lease_;  // As the server sent it last.
  LeaseRecord attempt_;         // What is being written.
  // The times in records are those of clocks that may be set; what is decided goes by when it happened here.
  Time tried_at_;
  Time renewed_at_;  // When that was tried which succeeded.
  LeaseRecord observed_;
  std::optional<LeaseRecord> read_;  // What was read last, as opposed to written.
  Time observed_at_;
  std::string reported_leader_;
};

}  // namespace berth::client
