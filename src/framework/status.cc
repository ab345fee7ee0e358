// SPDX-License-Identifier: Apache-2.0
#include "framework/status.h"

namespace berth::framework {

std::string_view ToString(StatusCode code) {
  switch (code) {
    case StatusCode::kSuccess: return "Success";
    case StatusCode::kError: return "Error";
    case StatusCode::kUnschedulable: return "Unschedulable";
    case StatusCode::kUnschedulableAndUnresolvable: return "UnschedulableAndUnresolvable";
    case StatusCode::kWait: return "Wait";
    case StatusCode::kSkip: return "Skip";
    case StatusCode::kPending: return "Pending";
  }
  return "Unknown";
}

std::string Status::message() const {
  std::string joined;
  for (const std::string& reason : reasons) {
    if (!joined.empty()) joined += ", ";
    joined += reason;
  }
  return joined;
}

}  // namespace berth::framework
