// SPDX-License-Identifier: Apache-2.0
// Refusals of patches, with upstream's texts.

#pragma once

#include <string>
#include <string_view>

#include "server/model/json.h"
#include "server/model/status.h"

namespace berth::server {

// 422: the patch is well formed but cannot be applied. Upstream does not tell why.
Refusal DoesNotApply();
// 500 without a reason, as upstream answers errors that it did not foresee.
Refusal Unforeseen(std::string message);
// `expected a []interface {}, but received a string`.
Refusal WrongType(std::string_view expected, const Json& value);
// `map: map[a:b] does not contain declared merge key: name`.
Refusal NoMergeKey(const Json& element, std::string_view merge_key);

}  // namespace berth::server
