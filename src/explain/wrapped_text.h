// SPDX-License-Identifier: Apache-2.0
// Wrapped: text in lines that fit a terminal.

#pragma once

#include <string>
#include <string_view>

namespace berth::explain {

// The words of `text` in lines of at most 80 columns, each with so many spaces before it, lines after the first with
// two more; a longer word has a line of its own. Ends with a line break.
std::string Wrapped(std::string_view text, size_t indent);

}  // namespace berth::explain
