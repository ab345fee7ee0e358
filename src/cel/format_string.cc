// SPDX-License-Identifier: Apache-2.0
#include "cel/format_string.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "api/document/field_error.h"
#include "base/ascii.h"
#include "cel/containers.h"
#include "cel/numbers.h"
#include "cel/operations.h"
#include "cel/text.h"

namespace berth::cel {
namespace {

constexpr int kPrecision = 6;

// %s.
Result<std::string> PlainText(Arena& arena, const Value& value);

// An element of a list or map.
Result<std::string> ElementText(Arena& arena, const Value& value) {
  switch (value.kind()) {
    case Kind::kDouble: {
      std::string text = FormatFixed(value.real(), kPrecision);
      return std::isfinite(value.real()) ? text : api::GoQuote(text);
    }
    case Kind::kString: return api::GoQuote(value.string());
    case Kind::kBytes: return "b" + api::GoQuote(BERTH_TRY(PlainText(arena, value)));
    case Kind::kTimestamp: return fmt::format("timestamp({})", api::GoQuote(ToText(arena, value).string()));
    case Kind::kDuration: return fmt::format("duration({})", api::GoQuote(ToText(arena, value).string()));
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kBool:
    case Kind::kNull:
    case Kind::kType:
    case Kind::kList:
    case Kind::kMap: return PlainText(arena, value);
    default: return Invalid(fmt::format("no formatting function for {}", TypeName(value)));
  }
}

Result<std::string> ListText(Arena& arena, const List& list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i) {
    arena.Count(8);
    text += (i > 0 ? ", " : "") + BERTH_TRY(ElementText(arena, list.at(i)));
  }
  return text + "]";
}

Result<std::string> MapText(Arena& arena, const Map& map) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const Map::Entry& entry : map.entries()) {
    arena.Count(8);
    if (!entry.key.Is(Kind::kString) && !entry.key.Is(Kind::kBool) && !entry.key.Is(Kind::kInt) &&
        !entry.key.Is(Kind::kUint)) {
      return Invalid(fmt::format("no formatting function for map key of type {}", TypeName(entry.key)));
    }
    std::string key = BERTH_TRY(ElementText(arena, entry.key));
    entries.emplace_back(std::move(key), BERTH_TRY(ElementText(arena, entry.value)));
  }
  std::ranges::stable_sort(entries, {}, [](const auto& entry) -> const std::string& { return entry.first; });
  std::string text = "{";
  for (const auto& [key, value] : entries) text += (text.size() > 1 ? ", " : "") + key + ":" + value;
  return text + "}";
}

Result<std::string> PlainText(Arena& arena, const Value& value) {
  arena.Spend(1);
  switch (value.kind()) {
    case Kind::kList: return ListText(arena, value.list());
    case Kind::kMap: return MapText(arena, value.map());
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kBool:
    case Kind::kString:
    case Kind::kTimestamp:
    case Kind::kBytes:
    case Kind::kDuration:
    case Kind::kType:
    case Kind::kNull: {
      const Value text = ToText(arena, value);
      if (text.is_error())
        return Invalid(fmt::format("could not convert argument {} to string", api::GoQuote(text.message())));
      return std::string(text.string());
    }
    default: return Invalid(UnfitForClause('s', TypeName(value)));
  }
}

// 1234567.5 as 1,234,567.5.
std::string WithThousands(std::string text) {
  const size_t start = text.starts_with('-') ? 1 : 0;
  for (size_t i = std::min(text.find('.'), text.size()); i > start + 3;) {
    i -= 3;
    text.insert(i, 1, ',');
  }
  return text;
}

std::optional<std::string> NotFinite(double number) {
  if (std::isfinite(number)) return std::nullopt;
  return std::isnan(number) ? "NaN" : number > 0 ? "\u221e" : "-\u221e";
}

// As the locale en_US has it.
std::string FixedText(double number, int precision) {
  if (const std::optional<std::string> text = NotFinite(number)) return *text;
  return WithThousands(FormatFixed(number == 0 ? 0 : number, precision & 0xFF));
}

std::string ScientificText(double number) {
  if (const std::optional<std::string> text = NotFinite(number)) {
    const size_t width = std::isnan(number) ? 3 : number > 0 ? 1 : 2;
    return std::string(6 - width, ' ') + *text;
  }
  const std::string text = fmt::format("{:.6e}", number == 0 ? 0 : number);
  constexpr std::string_view kDigits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                          "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  const size_t e = text.find('e');
  std::string out = text.substr(0, e) + "\u00d710";
  for (const char c : text.substr(e + 1)) {
    if (c == '-') out += "\u207b";
    if (IsDigit(c)) out += kDigits[c - '0'];
  }
  return out;
}

// The number of a double, or of one of the strings that stand for one.
std::optional<double> RealOf(const Value& value) {
  if (value.Is(Kind::kDouble)) return value.real();
  if (!value.Is(Kind::kString)) return std::nullopt;
  if (value.string() == "NaN" || value.string() == "Infinity" || value.string() == "-Infinity") {
    return ParseGoFloat(value.string());
  }
  return std::nullopt;
}

template <class Integer>
std::string InBase(char verb, Integer number) {
  switch (verb) {
    case 'b': return fmt::format("{:b}", number);
    case 'o': return fmt::format("{:o}", number);
    case 'x': return fmt::format("{:x}", number);
    case 'X': return fmt::format("{:X}", number);
    default: return fmt::format("{}", number);
  }
}

std::string HexBytes(std::string_view bytes, bool is_upper) {
  std::string out;
  for (const char byte : bytes)
    out += fmt::format(fmt::runtime(is_upper ? "{:02X}" : "{:02x}"), static_cast<uint8_t>(byte));
  return out;
}

Result<std::string> FormatValue(Arena& arena, const FormatClause& clause, const Value& value) {
  switch (clause.verb) {
    case 's': return PlainText(arena, value);
    case 'f':
      if (const std::optional<double> number = RealOf(value))
        return FixedText(*number, clause.precision.value_or(kPrecision));
      break;
    case 'e':
      if (const std::optional<double> number = RealOf(value)) return ScientificText(*number);
      break;
    default:
      if (value.Is(Kind::kInt)) return InBase(clause.verb, value.integer());
      if (value.Is(Kind::kUint)) return InBase(clause.verb, value.unsigned_integer());
      if (clause.verb == 'b' && value.Is(Kind::kBool)) return value.boolean() ? "1" : "0";
      if (Lower(clause.verb) == 'x' && value.Is(Kind::kString)) return HexBytes(value.string(), clause.verb == 'X');
      if (Lower(clause.verb) == 'x' && value.Is(Kind::kBytes)) return HexBytes(value.bytes(), clause.verb == 'X');
      break;
  }
  return Invalid(UnfitForClause(clause.verb, TypeName(value)));
}

// Reads a clause behind its percent sign, and takes it off.
Result<FormatClause> TakeClause(std::string_view& text) {
  FormatClause clause;
  if (text.starts_with('.')) {
    const size_t end = SkipDigits(text, 1);
    if (end == text.size()) return Invalid("error while parsing precision: could not find end of precision specifier");
    const std::string_view digits = text.substr(1, end - 1);
    const std::optional<int64_t> number = ParseGoInt(digits);
    if (!number) {
      return Invalid(fmt::format(
          "error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing {}: {}",
          api::GoQuote(digits), digits.empty() ? "invalid syntax" : "value out of range"));
    }
    clause.precision = static_cast<int>(*number & 0xFF);
    text.remove_prefix(end);
  }
  clause.verb = text[0];
  text.remove_prefix(1);
  if (std::string_view("sdfebxXo").find(clause.verb) == std::string_view::npos) {
    std::string name;
    AppendCharacter(name, static_cast<uint8_t>(clause.verb));  // A byte, even if it is part of a character.
    return Invalid(fmt::format("unrecognized formatting clause \"{}\"", name));
  }
  return clause;
}

}  // namespace

std::string UnfitForClause(char verb, std::string_view type_name) {
  std::string_view rule;
  switch (verb) {
    case 'b': rule = "only integers and bools can be formatted as binary"; break;
    case 'd': rule = "decimal clause can only be used on integers"; break;
    case 'f': rule = "fixed-point clause can only be used on doubles"; break;
    case 'x':
    case 'X': rule = "only integers, byte buffers, and strings can be formatted as hex"; break;
    case 'o': rule = "octal clause can only be used on integers"; break;
    case 'e': rule = "scientific clause can only be used on doubles"; break;
    default:
      rule =
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
          "timestamps";
      break;
  }
  return fmt::format("{}, was given {}", rule, type_name);
}

Result<std::string> WalkFormat(std::string_view format, size_t argument_count, bool looks_ahead,
                               const FormatArgument& format_argument, std::optional<size_t>* failed_argument) {
  std::string out;
  size_t index = 0;
  while (!format.empty()) {
    const size_t percent = std::min(format.find('%'), format.size());
    out += format.substr(0, percent);
    format.remove_prefix(percent);
    if (format.empty()) break;
    format.remove_prefix(1);
    if (format.starts_with('%')) {
      out += '%';
      format.remove_prefix(1);
      continue;
    }
    const bool is_missing = index >= argument_count;
    if (is_missing && !(looks_ahead && format.empty())) return Invalid(fmt::format("index {} out of range", index));
    if (format.empty()) return Invalid("unexpected end of string");
    const Result<FormatClause> clause = TakeClause(format);
    if (!clause) return Invalid("could not parse formatting clause: " + clause.error().message);
    const Result<std::string> text = format_argument(*clause, index);
    if (!text) {
      if (failed_argument != nullptr) *failed_argument = index;
      return Invalid("error during formatting: " + text.error().message);
    }
    out += *text;
    ++index;
  }
  return out;
}

Value FormatString(Arena& arena, std::span<const Value> args) {
  const List& list = args[1].list();
  const Result<std::string> text =
      WalkFormat(args[0].string(), list.size(), false, [&arena, &list](const FormatClause& clause, size_t index) {
        Result<std::string> formatted = FormatValue(arena, clause, list.at(index));
        if (formatted) arena.Count(formatted->size());
        return formatted;
      });
  return text ? Value::String(arena.Text(*text)) : Fail(arena, text.error().message);
}

}  // namespace berth::cel
