// SPDX-License-Identifier: Apache-2.0
// What the policy recordings of all releases have in common.

#pragma once

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "base/result.h"
#include "config/policy/policy.h"

namespace berth::conformance {

// The policy of the record's file or ConfigMap, or the error with which the command would end.
Result<config::Policy> ReadPolicy(api::Value record, config::PolicyCompat compat);

// What the client that calls extenders says to an extender's certificates.
Result<void> CheckCertificates(framework::ExtenderConfiguration extender, config::PolicyCompat compat);

}  // namespace berth::conformance
