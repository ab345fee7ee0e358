// SPDX-License-Identifier: Apache-2.0
#include "base/time_quote.h"

#include <fmt/format.h>

namespace berth {

std::string QuoteForTime(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < ' ' || code >= 0x80) {
      quoted += fmt::format("\\x{:02x}", code);
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace berth
