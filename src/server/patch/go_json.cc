// SPDX-License-Identifier: Apache-2.0
#include "server/patch/go_json.h"

#include <fmt/format.h>

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

}  // namespace berth::server
