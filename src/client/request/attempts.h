// SPDX-License-Identifier: Apache-2.0
// Attempts: requests that are repeated when they fail, each by its own rule.
//
// RestClient repeats what the server asked to repeat; this is about everything else. Many attempts run side by side.
//
// Thread: that of the client.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_map>

#include "base/random.h"
#include "client/request/rest_client.h"
#include "runtime/backoff.h"
#include "runtime/timers.h"

namespace berth::client {

// How a call ended.
struct CallEnd {
  enum class Kind : uint8_t {
    kDone,
    kRefused,  // The server said no.
    kNotSent,  // The server certainly did not act.
    kLost,     // No answer came.
  };
  Kind kind = Kind::kDone;
  RestAnswer answer;  // kDone.
  ApiError error;     // Otherwise; without a status if no answer came.
  // This try or an earlier one may have been carried out, although no answer says so.
  bool may_be_done = false;

  bool ok() const { return kind == Kind::kDone; }
  bool is_refusal(int status) const { return kind == Kind::kRefused && error.status == status; }
  bool is_conflict() const { return is_refusal(409) && error.reason != "AlreadyExists"; }
  bool is_server_error() const { return is_refusal(500) || is_refusal(503); }
};

// Which failures are followed by another try, and when.
struct RetryRule {
  runtime::Backoff backoff = {.steps = 1};           // As many tries as it has steps.
  bool (*covers)(const CallEnd& failure) = nullptr;  // Set if there is more than one.
};

// So many tries that it is as good as for ever.
inline constexpr int32_t kTriesUnlimited = std::numeric_limits<int32_t>::max();

class Attempts {
 public:
  using Done = std::move_only_function<void(CallEnd)>;

  Attempts(RestClient& client, runtime::Timers& timers, uint64_t seed);
  ~Attempts();
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;

  // `done` is called once, never inside this call, and not at all once the attempts are gone.
  void Send(RestRequest request, const RetryRule& rule, Done done);

 private:
  struct Attempt {
    RestRequest request;
    RetryRule rule;
    Done done;
    int tries = 0;
    runtime::Backoff backoff;
    bool may_be_done = false;
    RestClient::CallId call = 0;  // One of these two is pending.
    runtime::Timers::Id timer = 0;
  };

  void Try(uint64_t id);
  void Ended(uint64_t id, Result<RestAnswer> result);

  RestClient& client_;
  runtime::Timers& timers_;
  Random random_;
  std::unordered_map<uint64_t, Attempt> attempts_;
  uint64_t last_id_ = 0;
};

}  // namespace berth::client
