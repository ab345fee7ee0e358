// SPDX-License-Identifier: Apache-2.0
// Letters of ASCII, whatever the locale.

#pragma once

#include <string>
#include <string_view>

namespace berth {

inline std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace berth
