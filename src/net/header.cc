// SPDX-License-Identifier: Apache-2.0
#include "net/header.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"

namespace berth::net {
namespace {

bool IsTokenCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

}  // namespace

std::string_view FindHeader(std::span<const Header> headers, std::string_view name) {
  const auto found = std::ranges::find_if(headers, [&](const Header& h) { return EqualsIgnoringCase(h.name, name); });
  return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

bool HasToken(std::span<const Header> headers, std::string_view name, std::string_view token) {
  for (const Header& header : headers) {
    if (!EqualsIgnoringCase(header.name, name)) continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      if (EqualsIgnoringCase(Trim(rest.substr(0, comma), kBlanks), token)) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

bool IsValid(const Header& header) {
  return !header.name.empty() && std::ranges::all_of(header.name, IsTokenCharacter) &&
         std::ranges::none_of(header.value, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

}  // namespace berth::net
