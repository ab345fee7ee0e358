// SPDX-License-Identifier: Apache-2.0
#include "client/request/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/document/field_error.h"

namespace berth::client {

namespace {

constexpr int kRetriesMax = 10;
constexpr int64_t kSecondsMax = int64_t{1} << 30;

std::optional<int64_t> RetryAfter(const net::ResponseHead& head) {
  if (head.status != 429 && head.status < 500) return std::nullopt;
  std::string_view text = head.Find("Retry-After");
  int64_t seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::clamp(seconds, int64_t{0}, kSecondsMax);
}

// The connection broke after the request was sent, as opposed to one that never came to be or ran out of time.
bool IsLostConnection(const Error& error) { return error.code == Code::kInternal; }

std::string ReasonOf(const net::ResponseHead& head) {
  if (head.status != 429) return fmt::format("{}", head.status);
  return fmt::format("due to server-side throttling, FlowSchema UID: {}",
                     api::GoQuote(head.Find("X-Kubernetes-PF-FlowSchema-UID")));
}

}  // namespace

std::optional<Duration> Retry::Next(std::string_view method, const std::optional<net::ResponseHead>& head,
                                    const Result<void>& end) {
  if (count_ == kRetriesMax) return std::nullopt;
  std::optional<int64_t> seconds;
  std::string why;
  if (end) {
    seconds = RetryAfter(*head);
    if (seconds) why = ReasonOf(*head);
  } else if (!head && method == "GET" && IsLostConnection(end.error())) {
    seconds = 1;
    why = "due to retryable error, error: " + end.error().message;
    previous_cause_ = end.error().message;
  }
  if (!seconds) return std::nullopt;
  ++count_;
  reason_ = fmt::format("retries: {}, retry-after: {}s - retry-reason: {}", count_, *seconds, why);
  return Seconds(*seconds);
}

}  // namespace berth::client
