// SPDX-License-Identifier: Apache-2.0
// Trees for tests, written as JSON.

#pragma once

#include <string_view>

#include "server/model/json.h"

namespace berth::server {

inline Json TreeOf(std::string_view text) { return ParseTree(text).value(); }

}  // namespace berth::server
