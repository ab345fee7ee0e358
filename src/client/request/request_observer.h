// SPDX-License-Identifier: Apache-2.0
// RequestObserver: hears of every request that a RestClient makes, for metrics and logs.
//
// Thread: that of the client. The views live for the call only.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace berth::client {

struct ObservedRequest {
  std::string_view verb;    // The HTTP method.
  std::string_view server;  // Host and port, as in the address of the server.
  std::string_view path;    // Of the request, without the query.
};

class RequestObserver {
 public:
  virtual ~RequestObserver() = default;

  // Before each try: how long the call waited for its turn. `reason` says why a try is a repetition, else it is "".
  virtual void OnRateLimiterWait(const ObservedRequest& request, Duration wait, std::string_view reason) = 0;
  // After each try: the status of the answer, or nothing if none came. `is_retry` from the second try on.
  virtual void OnTry(const ObservedRequest& request, std::optional<int> status, bool is_retry) = 0;
  // After each try of a request that is no stream.
  virtual void OnRequestSize(const ObservedRequest& request, size_t bytes) = 0;
  // The whole answer to a request that is no stream.
  virtual void OnResponseSize(const ObservedRequest& request, size_t bytes) = 0;
  // From Send to the end of the last try, waiting included; not of streams.
  virtual void OnDuration(const ObservedRequest& request, Duration duration) = 0;
};

}  // namespace berth::client
