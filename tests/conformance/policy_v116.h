// SPDX-License-Identifier: Apache-2.0
// The policy recordings of v1.16, which had predicates and priorities instead of plugins.

#pragma once

#include "api/document/json_writer.h"
#include "api/document/value.h"

namespace berth::conformance {

// Writes one result: what v1.16 makes of the record's policy or provider.
void RunPolicyV116(api::Value record, api::JsonWriter& results);

// Writes one result: how v1.16 decides on the record's pod, by alwaysCheckAllPredicates.
void RunDecisionV116(api::Value record, api::JsonWriter& results);

}  // namespace berth::conformance
