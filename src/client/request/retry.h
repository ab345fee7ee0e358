// SPDX-License-Identifier: Apache-2.0
// Retry: whether one call is tried again, and when.
//
// The rules are those of upstream's client. An answer 429 or 5xx that names a number of seconds in Retry-After is
// followed by another try after that time. A GET whose connection was lost before an answer came is tried again after a
// second; anything else might have been carried out and is left to the caller. Ten tries follow the first at most.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "net/transport.h"

namespace berth::client {

class Retry {
 public:
  // After a try with this outcome: how long to wait for the next; nothing if there is none.
  std::optional<Duration> Next(std::string_view method, const std::optional<net::ResponseHead>& head,
                               const Result<void>& end);

  int count() const { return count_; }
  // Of the next try, for logs; "" for the first.
  const std::string& reason() const { return reason_; }
  // What made the last lost connection, if that is not `cause`; else "".
  std::string_view PreviousCause(std::string_view cause) const {
    return previous_cause_ == cause ? std::string_view() : previous_cause_;
  }

 private:
  int count_ = 0;
  std::string reason_;
  std::string previous_cause_;
};

}  // namespace berth::client
