// SPDX-License-Identifier: Apache-2.0
#include "server/patch/go_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace berth::server {
namespace {

enum class Format : uint8_t { kValue, kString };

std::string NumberText(const Json& value) {
  if (const auto whole = value.AsInt()) return fmt::to_string(*whole);
  double number = 0;
  const std::string& digits = value.text();
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const double size = std::abs(number);
  const bool is_plain = size == 0 || (size >= 1e-4 && size < 1e21);
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number,
                                 is_plain ? std::chars_format::fixed : std::chars_format::scientific);
  return std::string(buffer, end.ptr);
}

void Append(const Json& value, Format verb, std::string& out);

void AppendScalar(const Json& value, std::string_view text, Format verb, std::string& out) {
  if (verb == Format::kValue) {
    out += text;
  } else {
    fmt::format_to(std::back_inserter(out), "%!s({}={})", GoType(value), text);
  }
}

void AppendList(const Json& value, Format verb, std::string& out) {
  out += '[';
  for (const Json& item : value.items()) {
    if (&item != value.items().data()) out += ' ';
    Append(item, verb, out);
  }
  out += ']';
}

void AppendMap(const Json& value, Format verb, std::string& out) {
  out += "map[";
  for (const Json::Member& member : value.members()) {
    if (&member != value.members().data()) out += ' ';
    out += member.name;
    out += ':';
    Append(member.value, verb, out);
  }
  out += ']';
}

void Append(const Json& value, Format verb, std::string& out) {
  switch (value.kind()) {
    case Json::Kind::kNull: out += verb == Format::kValue ? "<nil>" : "%!s(<nil>)"; return;
    case Json::Kind::kBool: AppendScalar(value, value.AsBool() ? "true" : "false", verb, out); return;
    case Json::Kind::kNumber: AppendScalar(value, NumberText(value), verb, out); return;
    case Json::Kind::kString: out += value.text(); return;
    case Json::Kind::kList: AppendList(value, verb, out); return;
    case Json::Kind::kMap: AppendMap(value, verb, out); return;
  }
}

}  // namespace

std::string GoText(const Json& value) {
  std::string out;
  Append(value, Format::kValue, out);
  return out;
}

std::string GoStringText(const Json& value) {
  std::string out;
  Append(value, Format::kString, out);
  return out;
}

std::string_view GoType(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull: return "";
    case Json::Kind::kBool: return "bool";
    case Json::Kind::kNumber: return value.AsInt() ? "int64" : "float64";
    case Json::Kind::kString: return "string";
    case Json::Kind::kList: return "[]interface {}";
    case Json::Kind::kMap: return "map[string]interface {}";
  }
  return "";
}

}  // namespace berth::server
