// SPDX-License-Identifier: Apache-2.0
// Status: what a plugin answers.
//
// The codes and their meaning for the scheduling loop are upstream's. A Status carries reasons as text; on the hot path
// (filtering many nodes) plugins use Candidates::Reject with a ReasonId instead, and text is built when someone reads
// it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::framework {

enum class StatusCode : uint8_t {
  kSuccess,
  kError,
  kUnschedulable,
  kUnschedulableAndUnresolvable,
  kWait,
  kSkip,
  kPending,
};

// "Success", "Error", "Unschedulable", ...
std::string_view ToString(StatusCode code);

// The pod was turned down, as opposed to an internal error.
constexpr bool IsRejected(StatusCode code) {
  return code == StatusCode::kUnschedulable || code == StatusCode::kUnschedulableAndUnresolvable ||
         code == StatusCode::kPending;
}

struct [[nodiscard]] Status {
  StatusCode code = StatusCode::kSuccess;
  std::vector<std::string> reasons;
  std::string plugin;  // Filled in by the profile.

  static Status Success() { return {}; }
  static Status Skip() { return {StatusCode::kSkip, {}, {}}; }
  static Status Error(std::string reason) { return {StatusCode::kError, {std::move(reason)}, {}}; }
  static Status Unschedulable(std::string reason) { return {StatusCode::kUnschedulable, {std::move(reason)}, {}}; }
  static Status Unresolvable(std::string reason) {
    return {StatusCode::kUnschedulableAndUnresolvable, {std::move(reason)}, {}};
  }

  bool ok() const { return code == StatusCode::kSuccess; }
  bool is_skip() const { return code == StatusCode::kSkip; }
  bool is_rejected() const { return IsRejected(code); }
  // The reasons joined with ", ".
  std::string message() const;
};

}  // namespace berth::framework
