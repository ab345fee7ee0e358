// SPDX-License-Identifier: Apache-2.0
// The text of an error number as Go prints it: the C library's, beginning with a small letter.

#pragma once

#include <cctype>
#include <string>
#include <system_error>

namespace berth::runtime {

inline std::string SystemError(int number) {
  std::string text = std::generic_category().message(number);
  // "Is a directory", but not "RFS specific error".
  bool is_word = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (is_word || text.starts_with("I/O"))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace berth::runtime
