// SPDX-License-Identifier: Apache-2.0
#include "server/custom/json_path.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace berth::server {
namespace {

bool IsQuoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
}

// What is between the quotes; a backslash keeps the next character.
std::string Unquoted(std::string_view text) {
  std::string plain;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

std::string_view TrimSpaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// A name up to the next dot or bracket; a backslash keeps a dot.
std::string TakeName(std::string_view& text) {
  std::string name;
  while (!text.empty() && text.front() != '.' && text.front() != '[') {
    if (text.front() == '\\' && text.size() > 1) text.remove_prefix(1);
    name += text.front();
    text.remove_prefix(1);
  }
  return name;
}

// Where the bracket that opens at the front closes, quotes respected.
size_t FindEnd(std::string_view text) {
  char quote = 0;
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '\'' || text[i] == '"') {
      quote = text[i];
    } else if (text[i] == '[') {
      ++depth;
    } else if (text[i] == ']' && --depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

JsonPath::JsonPath(std::string_view text) {
  while (!text.empty() && is_valid_) {
    if (text.front() == '[') {
      const size_t end = FindEnd(text);
      if (end == std::string_view::npos) {
        is_valid_ = false;
        return;
      }
      is_valid_ = ParseBracket(TrimSpaces(text.substr(1, end - 1)));
      text.remove_prefix(end + 1);
      continue;
    }
    if (text.front() == '.') text.remove_prefix(1);
    std::string name = TakeName(text);
    if (name == "*") {
      steps_.push_back({.kind = Kind::kAll, .name = {}, .field = {}});
    } else if (!name.empty()) {
      steps_.push_back({.kind = Kind::kName, .name = std::move(name), .field = {}});
    }
  }
}

bool JsonPath::ParseBracket(std::string_view inside) {
  if (inside == "*") {
    steps_.push_back({.kind = Kind::kAll, .name = {}, .field = {}});
    return true;
  }
  if (IsQuoted(inside)) {
    steps_.push_back({.kind = Kind::kName, .name = Unquoted(inside), .field = {}});
    return true;
  }
  if (inside.starts_with("?(@.") && inside.ends_with(')')) {
    std::string_view rest = inside.substr(4, inside.size() - 5);
    const size_t at = std::min(rest.find("=="), rest.find("!="));
    if (at == std::string_view::npos) return false;
    Step step{.kind = Kind::kFilter, .name = {}, .field = {}, .is_equal = rest[at] == '='};
    const std::string_view value = TrimSpaces(rest.substr(at + 2));
    step.name = IsQuoted(value) ? Unquoted(value) : std::string(value);
    for (std::string_view names = TrimSpaces(rest.substr(0, at)); !names.empty();) {
      step.field.push_back(TakeName(names));
      if (names.starts_with('.')) names.remove_prefix(1);
      if (names.starts_with('[')) return false;
    }
    steps_.push_back(std::move(step));
    return true;
  }
  int64_t index = 0;
  const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
  if (error != std::errc() || end != inside.data() + inside.size()) return false;
  steps_.push_back({.kind = Kind::kIndex, .name = {}, .index = index, .field = {}});
  return true;
}

bool JsonPath::Matches(const Step& step, const Json& item) {
  const Json* value = &item;
  for (const std::string& name : step.field) value = &(*value)[name];
  if (value->is_null()) return false;
  const std::string text = value->is_bool() ? (value->AsBool() ? "true" : "false") : value->text();
  return (text == step.name) == step.is_equal;
}

std::vector<const Json*> JsonPath::Find(const Json& object) const {
  if (!is_valid_) return {};
  std::vector<const Json*> found{&object};
  for (const Step& step : steps_) {
    std::vector<const Json*> next;
    for (const Json* const value : found) {
      switch (step.kind) {
        case Kind::kName:
          if (const Json* const member = value->Find(step.name)) next.push_back(member);
          break;
        case Kind::kIndex: {
          const auto size = static_cast<int64_t>(value->items().size());
          const int64_t index = step.index < 0 ? size + step.index : step.index;
          if (index >= 0 && index < size) next.push_back(&value->items()[static_cast<size_t>(index)]);
          break;
        }
        case Kind::kAll:
          for (const Json& item : value->items()) next.push_back(&item);
          for (const Json::Member& member : value->members()) next.push_back(&member.value);
          break;
        case Kind::kFilter:
          for (const Json& item : value->items()) {
            if (Matches(step, item)) next.push_back(&item);
          }
          break;
      }
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace berth::server
