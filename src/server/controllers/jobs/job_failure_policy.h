// SPDX-License-Identifier: Apache-2.0
// What the pod failure policy of a Job makes of a pod that failed.

#pragma once

#include <string>

#include "server/model/json.h"

namespace berth::server {

struct FailureVerdict {
  bool counts = true;          // Towards the backoff limit.
  bool fails_index = false;    // However many failures the index may have.
  std::string fails_job = {};  // Why; "": it does not.
};

// The first rule that matches decides. Without a policy (null) every failure counts.
FailureVerdict JudgeFailure(const Json& policy, const Json& pod);

}  // namespace berth::server
