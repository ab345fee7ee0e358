// SPDX-License-Identifier: Apache-2.0
// What expressions about mutations make, as JSON.

#pragma once

#include <expected>
#include <string>

#include "cel/value.h"
#include "server/model/json.h"

namespace berth::server {

// The object that an apply configuration came to. Fails, in upstream's words, if a part of it is not of the type that
// belongs to its place, such as Object.spec in `spec`, or is nothing that JSON has; also if it is larger or deeper than
// an object may be.
std::expected<Json, std::string> ToConfiguration(const cel::Value& object);

// The operations of a JSON patch that a list of patches came to. Fails for the same reasons.
std::expected<Json, std::string> ToPatch(const cel::Value& patches);

}  // namespace berth::server
