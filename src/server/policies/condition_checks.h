// SPDX-License-Identifier: Apache-2.0
// The expressions of policies and webhooks, as their kinds check them.

#pragma once

#include <set>
#include <string>
#include <string_view>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"
#include "server/policies/policy_compiler.h"

namespace berth::server {

using ExpressionTexts = std::set<std::string>;

// Reports why an expression cannot be compiled, if so.
void CheckExpression(const PolicyExpression& compiled, const FieldPath& path, FieldErrors& errors);

// Match conditions. Those of the texts in `known` may use all that is known.
void CheckConditions(const Json& conditions, bool has_params, const ExpressionTexts& known, const FieldPath& path,
                     FieldErrors& errors);

}  // namespace berth::server
