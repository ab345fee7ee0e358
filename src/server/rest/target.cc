// SPDX-License-Identifier: Apache-2.0
#include "server/rest/target.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"

namespace berth::server {
namespace {

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

void Query::Set(std::string_view name, std::string value) {
  std::erase_if(parameters_, [&](const auto& parameter) { return parameter.first == name; });
  Add(std::string(name), std::move(value));
}

Result<Target> ParseTarget(std::string_view target) {
  Target parsed;
  std::string_view path = TakeUntil(target, '?');
  parsed.path = BERTH_TRY(Decode(path, false));
  while (!path.empty()) {
    const std::string_view segment = TakeUntil(path, '/');
    if (!segment.empty()) parsed.segments.push_back(BERTH_TRY(Decode(segment, false)));
  }
  while (!target.empty()) {
    std::string_view parameter = TakeUntil(target, '&');
    if (parameter.empty()) continue;
    std::string name = BERTH_TRY(Decode(TakeUntil(parameter, '='), true));
    std::string value = BERTH_TRY(Decode(parameter, true));
    parsed.query.Add(std::move(name), std::move(value));
  }
  return parsed;
}

}  // namespace berth::server
