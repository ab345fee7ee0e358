// SPDX-License-Identifier: Apache-2.0
// What strict decoding finds wrong with a patch itself, before it is applied.

#pragma once

#include <string>
#include <vector>

#include "api/document/value.h"
#include "server/model/status.h"

namespace berth::server {

// `duplicate field "metadata.labels.a"` for members that occur twice in one map, in the order of the text.
std::vector<std::string> FindDuplicates(api::Value patch);

// The same for a JSON patch, and `json patch unknown field "[0].foo"`.
std::vector<std::string> FindStrayFields(api::Value operations);

// Refuses operations whose op, path or from is no string; that is checked only if strictness is asked for.
Outcome<void> CheckOperationTypes(api::Value operations);

}  // namespace berth::server
