// SPDX-License-Identifier: Apache-2.0
// The reason phrases of HTTP status codes.

#pragma once

#include <string_view>

namespace berth::net {

// "" if the code has none.
std::string_view StatusText(int status);

}  // namespace berth::net
