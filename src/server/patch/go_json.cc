// SPDX-License-Identifier: Apache-2.0
#include "server/patch/go_json.h"

#include <fmt/format.h>

#include <iterator>

namespace berth::server {

void AppendGoJson(std::string& out, const Json& value) {
  constexpr std::string_view kMarkup = "<>&";
  size_t at = out.size();
  value.AppendText(out);
  // These stand only inside of strings.
  while ((at = out.find_first_of(kMarkup, at)) != std::string::npos) {
    out.replace(at, 1, fmt::format("\\u{:04x}", out[at]));
  }
}

std::string GoQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': quoted += "\\\""; break;
      case '\\': quoted += "\\\\"; break;
      case '\n': quoted += "\\n"; break;
      case '\t': quoted += "\\t"; break;
      case '\r': quoted += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          fmt::format_to(std::back_inserter(quoted), "\\x{:02x}", c);
        } else {
          quoted += c;
        }
    }
  }
  return quoted += '"';
}

}  // namespace berth::server
