// SPDX-License-Identifier: Apache-2.0
// QuoteForTime: texts in double quotes as the errors of Go's time package have them.

#pragma once

#include <string>
#include <string_view>

namespace berth {

// All that is not ASCII is escaped, byte by byte.
std::string QuoteForTime(std::string_view text);

}  // namespace berth
