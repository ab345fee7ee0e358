// SPDX-License-Identifier: Apache-2.0
#include "client/request/attempts.h"

#include <utility>

namespace berth::client {
namespace {

using Kind = CallEnd::Kind;

CallEnd EndOf(Result<RestAnswer> result) {
  CallEnd outcome;
  if (!result) {
    outcome.kind = result.error().code == Code::kUnavailable ? Kind::kNotSent : Kind::kLost;
    outcome.error.message = std::move(result.error().message);
  } else if (result->ok()) {
    outcome.answer = *std::move(result);
  } else {
    outcome.kind = Kind::kRefused;
    outcome.error = ErrorOf(*result);
  }
  // A server that fails may have failed after it had stored the change.
  outcome.may_be_done = outcome.kind == Kind::kLost || outcome.error.status >= 500;
  return outcome;
}

}  // namespace

Attempts::Attempts(RestClient& client, runtime::Timers& timers, uint64_t seed)
    : client_(client), timers_(timers), random_(seed) {}

Attempts::~Attempts() {
  for (auto& [id, attempt] : attempts_) {
    if (attempt.call != 0) client_.Cancel(attempt.call);
    if (attempt.timer != 0) timers_.Cancel(attempt.timer);
  }
}

void Attempts::Send(RestRequest request, const RetryRule& rule, Done done) {
  const uint64_t id = ++last_id_;
  Attempt& attempt = attempts_[id];
  attempt.request = std::move(request);
  attempt.rule = rule;
  attempt.done = std::move(done);
  attempt.backoff = rule.backoff;
  Try(id);
}

void Attempts::Try(uint64_t id) {
  Attempt& attempt = attempts_.at(id);
  attempt.timer = 0;
  ++attempt.tries;
  attempt.call = client_.Send(attempt.request, [this, id](Result<RestAnswer> result) { Ended(id, std::move(result)); });
}

void Attempts::Ended(uint64_t id, Result<RestAnswer> result) {
  Attempt& attempt = attempts_.at(id);
  attempt.call = 0;
  CallEnd outcome = EndOf(std::move(result));
  attempt.may_be_done |= outcome.may_be_done;
  const bool has_tries = attempt.tries < attempt.rule.backoff.steps;
  if (!outcome.ok() && has_tries && attempt.rule.covers(outcome)) {
    attempt.timer = timers_.After(attempt.backoff.Step(random_), [this, id] { Try(id); });
    return;
  }
  outcome.may_be_done = attempt.may_be_done && !outcome.ok();
  const auto ended = attempts_.extract(id);
  ended.mapped().done(std::move(outcome));
}

}  // namespace berth::client
