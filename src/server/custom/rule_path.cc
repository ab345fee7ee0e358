// SPDX-License-Identifier: Apache-2.0
#include "server/custom/rule_path.h"

#include "server/model/field_errors.h"

namespace berth::server {
namespace {

// Takes the next part: a delimiter, a text in quotes, or what stands before the next delimiter.
std::string_view TakePart(std::string_view& path) {
  const auto take = [&](size_t size) {
    const std::string_view part = path.substr(0, size);
    path.remove_prefix(part.size());
    return part;
  };
  constexpr std::string_view kDelimiters = ".[]";
  if (!path.empty() && path[0] == '\'') {
    for (size_t i = 1; i < path.size(); ++i) {
      if (path[i] == '\'' && path[i - 1] != '\\') return take(i + 1);
    }
    return take(path.size());
  }
  const size_t end = path.find_first_of(kDelimiters);
  return take(end == 0 ? 1 : end);
}

// What stands between single quotes.
std::optional<std::string> Unquote(std::string_view part) {
  if (part.size() < 2 || !part.starts_with('\'') || !part.ends_with('\'')) return std::nullopt;
  part = part.substr(1, part.size() - 2);
  std::string text;
  for (size_t i = 0; i < part.size(); ++i) {
    if (part[i] != '\\' || i + 1 == part.size() || part[i + 1] == '\n') {
      text += part[i];
      continue;
    }
    constexpr std::string_view kNames = "abfnrtv'\\";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v'\\";
    const size_t at = kNames.find(part[++i]);
    if (at == std::string_view::npos) return std::nullopt;
    text += kMeanings[at];
  }
  return text;
}

}  // namespace

std::optional<std::string> ReadRulePath(std::string_view path, const Schema& schema) {
  std::string read;
  const Schema* at = &schema;
  const auto go = [&](const std::string& name) {
    if (at == nullptr) return false;
    if (!at->properties.empty()) {
      read = Child(read, name);
      at = at->Find(name);
      return at != nullptr;
    }
    if (!at->has_additional) return false;
    read = Key(read, name);
    at = at->additional.get();
    return true;
  };
  while (!path.empty()) {
    const std::string_view delimiter = TakePart(path);
    if (path.empty()) return std::nullopt;
    if (delimiter == ".") {
      if (!go(std::string(TakePart(path)))) return std::nullopt;
    } else if (delimiter == "[") {
      const std::optional<std::string> name = Unquote(TakePart(path));
      if (!name || !go(*name) || TakePart(path) != "]") return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  return read;
}

}  // namespace berth::server
