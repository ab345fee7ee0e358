// SPDX-License-Identifier: Apache-2.0
#include "api/document/field_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "api/document/utf8.h"

namespace berth::api {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Controls, format characters, spaces other than U+0020, surrogates, private use and noncharacters.
constexpr std::array<Range, 27> kNotPrintable = {{
    {0x00, 0x1F},       {0x7F, 0xA0},        {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
    {0x6DD, 0x6DD},     {0x70F, 0x70F},      {0x890, 0x891},     {0x8E2, 0x8E2},     {0x1680, 0x1680},
    {0x180E, 0x180E},   {0x2000, 0x200F},    {0x2028, 0x202F},   {0x205F, 0x206F},   {0x3000, 0x3000},
    {0xD800, 0xF8FF},   {0xFDD0, 0xFDEF},    {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},
    {0x110BD, 0x110BD}, {0x110CD, 0x110CD},  {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
    {0xE0000, 0xE00FF}, {0xF0000, 0x10FFFF},
}};

bool IsPrintable(char32_t c) {
  const auto* range = std::lower_bound(kNotPrintable.begin(), kNotPrintable.end(), c,
                                       [](const Range& r, char32_t wanted) { return r.last < wanted; });
  return range == kNotPrintable.end() || c < range->first;
}

void AppendGoEscape(std::string& out, char32_t c) {
  constexpr std::string_view kShort = "abtnvfr";  // \a is 7, and so on up to \r, which is 13.
  if (c == '"' || c == '\\') {
    out += '\\';
    out += static_cast<char>(c);
  } else if (c >= 7 && c <= 13) {
    out += '\\';
    out += kShort[c - 7];
  } else {
    const auto number = static_cast<uint32_t>(c);
    fmt::format_to(std::back_inserter(out),
                   fmt::runtime(c < 0x80      ? "\\x{:02x}"
                                : c < 0x10000 ? "\\u{:04x}"
                                              : "\\U{:08x}"),
                   number);
  }
}

// Go escapes the characters that end a script or begin an entity in HTML, whether or not the JSON goes there.
void AppendGoJsonEscape(std::string& out, char32_t c) {
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<uint32_t>(c));
  }
}

std::string GoJson(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Char next = DecodeUtf8(text);
    const char32_t c = next.code_point;
    if (!next.valid) {
      out += "\\ufffd";
    } else if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x2028 || c == 0x2029) {
      AppendGoJsonEscape(out, c);
    } else {
      out += text.substr(0, next.size);
    }
    text.remove_prefix(next.size);
  }
  return out + '"';
}

std::string GoJson(const std::vector<std::string>& values) {
  if (values.empty()) return "null";
  std::string out = "[";
  for (const std::string& value : values) {
    if (out.size() > 1) out += ',';
    out += GoJson(value);
  }
  return out + ']';
}

}  // namespace

std::string GoQuote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Char next = DecodeUtf8(text);
    const char32_t c = next.code_point;
    if (!next.valid) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (c == '"' || c == '\\' || !IsPrintable(c)) {
      AppendGoEscape(out, c);
    } else {
      out += text.substr(0, next.size);
    }
    text.remove_prefix(next.size);
  }
  return out + '"';
}

std::string InvalidField(std::string_view path, std::string_view value, std::string_view detail) {
  return fmt::format("{}: Invalid value: {}: {}", path, GoQuote(value), detail);
}

std::string InvalidField(std::string_view path, const std::vector<std::string>& values, std::string_view detail) {
  return fmt::format("{}: Invalid value: {}: {}", path, GoJson(values), detail);
}

std::string UnsupportedField(std::string_view path, std::string_view value,
                             std::initializer_list<std::string_view> supported) {
  std::vector<std::string> quoted;
  for (std::string_view text : supported) quoted.push_back(GoQuote(text));
  return fmt::format("{}: Unsupported value: {}: supported values: {}", path, GoJson(value), fmt::join(quoted, ", "));
}

std::string ChildPath(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

}  // namespace berth::api
