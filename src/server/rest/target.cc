// SPDX-License-Identifier: Apache-2.0
#include "server/rest/target.h"

#include <algorithm>

#include "base/ascii.h"

namespace berth::server {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> Decode(std::string_view text, bool is_query) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = text.size() - i > 2 ? HexDigit(text[i + 1]) : -1;
      const int low = text.size() - i > 2 ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return Invalid("invalid URL escape");
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += is_query && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

// What stands before `separator`; `text` becomes what stands behind it.
std::string_view Take(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return taken;
}

}  // namespace

std::string_view Query::Get(std::string_view name) const {
  const auto at = std::ranges::find(parameters_, name, &std::pair<std::string, std::string>::first);
  return at == parameters_.end() ? std::string_view() : at->second;
}

bool Query::Has(std::string_view name) const {
  return std::ranges::find(parameters_, name, &std::pair<std::string, std::string>::first) != parameters_.end();
}

bool Query::IsSet(std::string_view name) const {
  const std::string_view value = Get(name);
  return Has(name) && value != "0" && !EqualsIgnoringCase(value, "false");
}

Result<Target> ParseTarget(std::string_view target) {
  Target parsed;
  std::string_view path = Take(target, '?');
  parsed.path = BERTH_TRY(Decode(path, false));
  while (!path.empty()) {
    const std::string_view segment = Take(path, '/');
    if (!segment.empty()) parsed.segments.push_back(BERTH_TRY(Decode(segment, false)));
  }
  while (!target.empty()) {
    std::string_view parameter = Take(target, '&');
    if (parameter.empty()) continue;
    std::string name = BERTH_TRY(Decode(Take(parameter, '='), true));
    std::string value = BERTH_TRY(Decode(parameter, true));
    parsed.query.Add(std::move(name), std::move(value));
  }
  return parsed;
}

}  // namespace berth::server
