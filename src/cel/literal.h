// SPDX-License-Identifier: Apache-2.0
// Literals: from the spelling of a token to its value.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::cel {

// The text that a quoted literal stands for, with cel-go's error texts. Escapes mean bytes in a bytes literal, and
// characters in a string.
Result<std::string> Unquote(std::string_view literal, bool is_bytes);

}  // namespace berth::cel
