// SPDX-License-Identifier: Apache-2.0
// What the rules of custom resources see of an object: its values by their schema.
//
// Members and items are converted when an expression looks at them.

#pragma once

#include "cel/arena.h"
#include "cel/value.h"
#include "server/custom/schema.h"
#include "server/model/json.h"

namespace berth::server {

// The value lives as long as the arena, the tree and the schema. What does not fit the schema is an error.
// `is_resource`: whether it is a resource, the root of an object or embedded in one.
cel::Value ToRuleValue(cel::Arena& arena, const Json& value, const Schema& schema, bool is_resource);

}  // namespace berth::server
