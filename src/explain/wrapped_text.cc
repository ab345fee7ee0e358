// SPDX-License-Identifier: Apache-2.0
#include "explain/wrapped_text.h"

#include <algorithm>

namespace berth::explain {

std::string Wrapped(std::string_view text, size_t indent) {
  constexpr size_t kColumns = 80;
  std::string out(indent, ' ');
  size_t column = indent;
  bool is_first = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!is_first && column + 1 + word.size() > kColumns) {
      out += '\n';
      out.append(indent + 2, ' ');
      column = indent + 2;
    } else if (!is_first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    is_first = false;
  }
  return out + '\n';
}

}  // namespace berth::explain
