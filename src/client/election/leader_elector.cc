// SPDX-License-Identifier: Apache-2.0

#include "client/election/leader_elector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth::client {
namespace {

constexpr double kAcquireJitter = 1.2;

Duration Half(Duration duration) { return {duration.nanos / 2}; }

Result<Lease> LeaseOf(const Result<RestAnswer>& answer) {
  if (!answer) return std::unexpected(answer.error());
  if (!answer->ok()) return Fail(Code::kInternal, ErrorOf(*answer).message);
  return ParseLease(answer->body);
}

}  // namespace

LeaderElector::LeaderElector(RestClient& client, runtime::Timers& timers, Options options, Callbacks callbacks)
    : client_(client),
      timers_(timers),
      options_(std::move(options)),
      request_timeout_(std::max(Seconds(1), Half(options_.renew_deadline))),
      callbacks_(std::move(callbacks)),
      random_(options_.seed),
      retry_(timers, {.delay = [this](Time) { return RetryDelay(); }}, [this] { Try(); }),
      deadline_(timers) {}

LeaderElector::~LeaderElector() {
  if (call_ != 0) client_.Cancel(call_);
}

void LeaderElector::Start() {
  phase_ = Phase::kAcquiring;
  retry_.Start();
}

void LeaderElector::Stop() {
  if (phase_ == Phase::kReleasing || phase_ == Phase::kEnded) return;
  // An update that is under way may still take effect, so the release begins with reading the lease.
  if (call_ != 0) client_.Cancel(std::exchange(call_, 0));
  retry_.Stop();
  deadline_.Stop();
  if (phase_ != Phase::kLeading) return Finish(End::kStopped);
  phase_ = Phase::kReleasing;
  deadline_.Start(options_.renew_deadline, [this] { Finish(End::kStopped); });
  Release();
}

Duration LeaderElector::RetryDelay() {
  const Duration period = options_.retry_period;
  return phase_ == Phase::kAcquiring ? runtime::Jitter(period, kAcquireJitter, random_) : period;
}

void LeaderElector::Try() {
  retry_.Hold();
  if (phase_ == Phase::kLeading && !deadline_.is_running()) StartDeadline();
  attempt_ = NewRecord();
  tried_at_ = timers_.Now();
  if (!lease_ || !is_leader() || !IsValid()) return Read(&LeaderElector::OnRead);
  // Nobody else has had reason to write: most likely the lease is as it was left.
  attempt_.acquire_time = observed_.acquire_time;
  attempt_.transitions = observed_.transitions;
  Send("PUT", LeaseJson(*lease_, attempt_), &LeaderElector::OnRenewed);
}

void LeaderElector::OnRenewed(Result<RestAnswer> answer) {
  Result<Lease> lease = LeaseOf(answer);
  if (lease) return Succeed(std::move(*lease));
  ReportFailure("failed to update the lease optimistically", lease.error());
  Read(&LeaderElector::OnRead);
}

void LeaderElector::OnRead(Result<RestAnswer> answer) {
  if (answer && answer->status == 404) {
    return Send("POST", NewLeaseJson(options_.ns, options_.name, attempt_), &LeaderElector::OnWritten);
  }
  Result<Lease> lease = LeaseOf(answer);
  if (!lease) {
    ReportFailure("error retrieving the lease", lease.error());
    return TryLater();
  }
  lease_ = std::move(*lease);
  if (read_ != lease_->record) {
    read_ = lease_->record;
    Observe(lease_->record);
  }
  if (phase_ == Phase::kLeading && !is_leader()) {
    // Even if it could be taken back: meanwhile another led.
    ReportLeader();
    return Finish(End::kLost);
  }
  if (!lease_->record.holder.empty() && IsValid() && !is_leader()) return TryLater();
  attempt_.transitions = lease_->record.transitions;
  if (is_leader()) {
    attempt_.acquire_time = lease_->record.acquire_time;
  } else {
    ++attempt_.transitions;
  }
  Send("PUT", LeaseJson(*lease_, attempt_), &LeaderElector::OnWritten);
}

void LeaderElector::OnWritten(Result<RestAnswer> answer) {
  Result<Lease> lease = LeaseOf(answer);
  if (lease) return Succeed(std::move(*lease));
  ReportFailure("failed to write the lease", lease.error());
  TryLater();
}

void LeaderElector::Succeed(Lease lease) {
  lease_ = std::move(lease);
  Observe(attempt_);
  renewed_at_ = tried_at_;
  deadline_.Stop();
  if (phase_ == Phase::kAcquiring) return Lead();
  retry_.Resume();
}

void LeaderElector::TryLater() {
  ReportLeader();
  retry_.Resume();
}

void LeaderElector::Lead() {
  phase_ = Phase::kLeading;
  // Before the callbacks, since these may stop the elector.
  retry_.Start();
  ReportLeader();
  const Lease lease = *lease_;
  if (phase_ == Phase::kLeading && callbacks_.on_started) callbacks_.on_started(lease);
}

void LeaderElector::StartDeadline() {
  // Others count from when they saw the lease renewed, which may be well before the answer came here.
  const Duration left = renewed_at_ + options_.lease_duration - timers_.Now();
  deadline_.Start(std::min(options_.renew_deadline, left), [this] { Finish(End::kLost); });
}

void LeaderElector::Release() { Read(&LeaderElector::OnReadForRelease); }

void LeaderElector::OnReadForRelease(Result<RestAnswer> answer) {
  Result<Lease> lease = LeaseOf(answer);
  if (!lease) {
    ReportFailure("error retrieving the lease", lease.error());
    return Finish(End::kStopped);
  }
  if (lease->record.holder != options_.identity) return Finish(End::kStopped);
  attempt_ = NewRecord();
  tried_at_ = timers_.Now();
  attempt_.holder.clear();
  attempt_.duration_seconds = 1;
  attempt_.transitions = lease->record.transitions;
  Send("PUT", LeaseJson(*lease, attempt_), &LeaderElector::OnReleased);
}

void LeaderElector::OnReleased(Result<RestAnswer> answer) {
  if (answer && answer->status == 409) return Release();
  if (const Result<Lease> lease = LeaseOf(answer)) {
    Observe(attempt_);
  } else {
    ReportFailure("failed to release the lease", lease.error());
  }
  Finish(End::kStopped);
}

void LeaderElector::Finish(End end) {
  if (call_ != 0) client_.Cancel(std::exchange(call_, 0));
  retry_.Stop();
  deadline_.Stop();
  phase_ = Phase::kEnded;
  if (callbacks_.on_stopped) callbacks_.on_stopped(end);
}

std::optional<std::string> LeaderElector::CheckHealth(Duration tolerance) const {
  if (!is_leader() || timers_.Now() - observed_at_ <= options_.lease_duration + tolerance) return std::nullopt;
  return fmt::format("failed election to renew leadership on lease {}", options_.name);
}

void LeaderElector::Read(Next next) { Send("GET", "", next); }

void LeaderElector::Send(std::string method, std::string body, Next next) {
  RestRequest request;
  request.path = fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases", options_.ns);
  if (method != "POST") request.path += "/" + options_.name;
  request.query = "timeout=" + FormatDuration(request_timeout_);
  if (!body.empty()) request.content_type = kJson;
  request.method = std::move(method);
  request.body = std::move(body);
  request.timeout = request_timeout_;
  request.urgent = true;
  call_ = client_.Send(std::move(request), [this, next](Result<RestAnswer> answer) {
    call_ = 0;
    (this->*next)(std::move(answer));
  });
}

LeaseRecord LeaderElector::NewRecord() const {
  const Time now = timers_.WallNow();
  return {options_.identity, options_.lease_duration.nanos / Seconds(1).nanos, now, now, 0};
}

void LeaderElector::Observe(LeaseRecord record) {
  observed_ = std::move(record);
  observed_at_ = timers_.Now();
}

bool LeaderElector::IsValid() const { return observed_at_ + Seconds(observed_.duration_seconds) > timers_.Now(); }

void LeaderElector::ReportLeader() {
  if (observed_.holder == reported_leader_) return;
  reported_leader_ = observed_.holder;
  if (callbacks_.on_new_leader) callbacks_.on_new_leader(reported_leader_);
}

void LeaderElector::ReportFailure(std::string_view what, const Error& error) {
  if (!callbacks_.on_failure) return;
  callbacks_.on_failure(fmt::format("{} {}/{}: {}", what, options_.ns, options_.name, error.message));
}

}  // namespace berth::client
