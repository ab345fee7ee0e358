// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace berth::app {

std::string Shorten(const std::string& text) {
  constexpr size_t kLineMax = 1000;
  std::string out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const size_t size = end - begin;
    out.append(text, begin, std::min(size, kLineMax));
    if (size > kLineMax) out += fmt::format("... ({} more bytes)", size - kLineMax);
    if (end == text.size()) break;
    out += '\n';
    begin = end + 1;
  }
  return out;
}

void PrintNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", Shorten(note));
}

}  // namespace berth::app
