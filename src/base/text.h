// SPDX-License-Identifier: Apache-2.0
// Texts cut into parts. Nothing is copied: parts point into the text.

#pragma once

#include <string_view>
#include <vector>

namespace berth {

inline constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
inline constexpr std::string_view kBlanks = " \t";  // Between the words of a header of HTTP.

// Without these characters at both ends.
constexpr std::string_view Trim(std::string_view text, std::string_view characters = kWhiteSpace) {
  const size_t begin = text.find_first_not_of(characters);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(characters) - begin + 1);
}

// What stands before the first `separator`, or all; `text` becomes what stands behind it.
constexpr std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return taken;
}

// Between each occurrence of `separator`; at least one part.
inline std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace berth
