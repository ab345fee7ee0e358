// SPDX-License-Identifier: Apache-2.0
// The scalars of a strategic merge, brought to the types of their fields.
//
// Upstream does not decode the result of a strategic merge from JSON but converts a tree of Go values. That is laxer
// with numbers (1.0 is an integer, and one that is too large for 32 bits loses its upper half) and has errors of its
// own.

#pragma once

#include "api/wire/table.h"
#include "base/result.h"
#include "server/model/json.h"

namespace berth::server {

// Converts the numbers in `object`. Fails if a member has the wrong type. Types that decode themselves, such as
// quantities and times, are not looked at.
Result<void> ConvertScalars(Json& object, const api::wire::Message& message);

}  // namespace berth::server
