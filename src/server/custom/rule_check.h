// SPDX-License-Identifier: Apache-2.0
// Whether the rules of a schema may be: whether they compile, and what they can cost at most.

#pragma once

#include <functional>
#include <string>

#include "server/custom/rules.h"
#include "server/custom/schema.h"
#include "server/model/field_errors.h"
#include "server/model/json.h"

namespace berth::server {

// Adds the expressions of a schema to those that are known. They are views of it.
void CollectExpressions(const Json& schema, KnownExpressions& known);

// Whether there is not more of them than may be compiled.
bool HasBoundedExpressions(const Json& schema, const std::string& path, FieldErrors& errors);

// What is wrong with the rules of `schema`, which is the root of a resource and was read into `read`. `is_sound`:
// whether nothing else is wrong with that part of the schema or below it; rules of others are passed over.
void CheckRules(const Json& schema, const Schema& read, const std::string& path, const KnownExpressions& known,
                const std::function<bool(const Json& part)>& is_sound, FieldErrors& errors);

}  // namespace berth::server
