// SPDX-License-Identifier: Apache-2.0
// Text that browsers cannot take for markup.

#pragma once

#include <string>
#include <string_view>

namespace berth {

// With what could be taken for a tag or an entity spelt out.
inline std::string EscapeMarkup(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

}  // namespace berth
