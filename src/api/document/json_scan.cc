// SPDX-License-Identifier: Apache-2.0
#include "api/document/json_scan.h"

#include <algorithm>

namespace berth::api {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::optional<size_t> EndOfString(std::string_view text, size_t at) {
  for (++at; (at = text.find_first_of("\"\\", at)) != text.npos; at += 2) {
    if (text[at] == '"') return at + 1;
  }
  return std::nullopt;
}

std::optional<size_t> EndOfBrackets(std::string_view text, size_t at) {
  for (size_t depth = 0; (at = text.find_first_of("{}[]\"", at)) != text.npos; ++at) {
    switch (text[at]) {
      case '"': {
        const std::optional<size_t> end = EndOfString(text, at);
        if (!end) return end;
        at = *end - 1;
        break;
      }
      case '{':
      case '[': ++depth; break;
      default:
        if (--depth == 0) return at + 1;
    }
  }
  return std::nullopt;
}

}  // namespace

size_t SkipJsonSpace(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(kSpace, at), text.size());
}

std::optional<size_t> EndOfJsonValue(std::string_view text, size_t at) {
  if (at >= text.size()) return std::nullopt;
  if (text[at] == '{' || text[at] == '[') return EndOfBrackets(text, at);
  if (text[at] == '"') return EndOfString(text, at);
  return std::min(text.find_first_of(" \t\r\n,]}", at), text.size());
}

std::optional<size_t> FindJsonMember(std::string_view text, size_t at, std::string_view name) {
  const auto is = [&](char c) { return at < text.size() && text[at] == c; };
  if (!is('{')) return std::nullopt;
  do {
    at = SkipJsonSpace(text, at + 1);
    const std::optional<size_t> key_end = is('"') ? EndOfString(text, at) : std::nullopt;
    if (!key_end) return std::nullopt;
    const bool found = text.substr(at + 1, *key_end - at - 2) == name;
    at = SkipJsonSpace(text, *key_end);
    if (!is(':')) return std::nullopt;
    at = SkipJsonSpace(text, at + 1);
    if (found) return at;
    const std::optional<size_t> end = EndOfJsonValue(text, at);
    if (!end) return std::nullopt;
    at = SkipJsonSpace(text, *end);
  } while (is(','));
  return std::nullopt;
}

std::string_view JsonMember(std::string_view text, std::string_view name) {
  const std::optional<size_t> begin = FindJsonMember(text, SkipJsonSpace(text, 0), name);
  const std::optional<size_t> end = begin ? EndOfJsonValue(text, *begin) : std::nullopt;
  return end ? text.substr(*begin, *end - *begin) : std::string_view();
}

}  // namespace berth::api
