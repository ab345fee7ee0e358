// SPDX-License-Identifier: Apache-2.0
// Functions of strings: cel-go's strings library, version 2. Positions count characters.
#include <fmt/format.h>

#include <cstring>
#include <string>

#include "base/ascii.h"
#include "cel/containers.h"
#include "cel/format_string.h"
#include "cel/library.h"
#include "cel/text.h"

namespace berth::cel {
namespace {

Value OutOfRange(Arena& arena, int64_t index) { return Fail(arena, fmt::format("index out of range: {}", index)); }

Value CharAt(Arena& arena, Args args) {
  const std::string_view text = args[0].string();
  const int64_t index = args[1].integer();
  const auto count = static_cast<int64_t>(CountCharacters(text));
  if (index < 0 || index > count) return OutOfRange(arena, index);
  if (index == count) return Value::String("");
  const std::string_view rest = text.substr(CharacterOffset(text, static_cast<uint64_t>(index)));
  return Value::String(rest.substr(0, api::DecodeUtf8(rest).size));
}

Value Substring(Arena& arena, Args args) {
  const std::string_view text = args[0].string();
  const int64_t start = args[1].integer();
  const auto count = static_cast<int64_t>(CountCharacters(text));
  const int64_t end = args.size() > 2 ? args[2].integer() : count;
  if (args.size() > 2 && start > end) {
    return Fail(arena, fmt::format("invalid substring range. start: {}, end: {}", start, end));
  }
  if (start < 0 || start > count) return OutOfRange(arena, start);
  if (end < 0 || end > count) return OutOfRange(arena, end);
  const size_t begin = CharacterOffset(text, static_cast<uint64_t>(start));
  return Value::String(text.substr(begin, CharacterOffset(text.substr(begin), static_cast<uint64_t>(end - start))));
}

// Where the part begins at or after a place, in bytes. Linear, whatever the texts.
size_t FindPart(std::string_view text, std::string_view part, size_t from) {
  // An empty text may have no address, which memmem does not take.
  if (part.empty()) return from;
  if (from == text.size()) return text.npos;
  const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? text.npos : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

Value IndexOfText(Arena& arena, Args args) {
  const std::string_view text = args[0].string();
  const std::string_view part = args[1].string();
  const int64_t offset = args.size() > 2 ? args[2].integer() : 0;
  if (offset < 0) return OutOfRange(arena, offset);
  const auto count = static_cast<int64_t>(CountCharacters(text));
  if (part.empty()) return Value::Int(std::min(offset, count));
  if (offset >= count) return Value::Int(-1);
  const size_t found = FindPart(text, part, CharacterOffset(text, static_cast<uint64_t>(offset)));
  if (found == text.npos) return Value::Int(-1);
  return Value::Int(static_cast<int64_t>(CountCharacters(text.substr(0, found))));
}

Value LastIndexOfText(Arena& arena, Args args) {
  const std::string_view text = args[0].string();
  const std::string_view part = args[1].string();
  const auto count = static_cast<int64_t>(CountCharacters(text));
  const int64_t offset = args.size() > 2 ? args[2].integer() : count;
  if (offset < 0) return OutOfRange(arena, offset);
  if (part.empty()) return Value::Int(std::min(offset, count));
  if (args.size() > 2 && offset >= count) return Value::Int(-1);
  if (part.size() > text.size()) return Value::Int(-1);
  size_t from = CharacterOffset(text, static_cast<uint64_t>(offset));
  from = std::min(from, text.size() - part.size());
  for (size_t at = from + 1; at-- > 0;) {
    arena.Spend(1 + part.size() / 16);
    if (text.substr(at).starts_with(part)) return Value::Int(static_cast<int64_t>(CountCharacters(text.substr(0, at))));
  }
  return Value::Int(-1);
}

template <char (*change)(char)>
Value ChangeAscii(Arena& arena, Args args) {
  const std::span<char> copy = arena.Array<char>(args[0].string().size());
  std::ranges::transform(args[0].string(), copy.begin(), change);
  return Value::String({copy.data(), copy.size()});
}
char ToLower(char c) { return Lower(c); }
char ToUpper(char c) { return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

bool IsSpace(char32_t c) {
  return (c >= '\t' && c <= '\r') || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

Value Trim(Arena&, Args args) {
  std::string_view text = args[0].string();
  while (!text.empty()) {
    const api::Utf8Char c = api::DecodeUtf8(text);
    if (!IsSpace(c.code_point)) break;
    text.remove_prefix(c.size);
  }
  size_t end = 0;  // Behind the last character that is no space.
  for (size_t i = 0; i < text.size();) {
    const api::Utf8Char c = api::DecodeUtf8(text.substr(i));
    i += c.size;
    if (!IsSpace(c.code_point)) end = i;
  }
  return Value::String(text.substr(0, end));
}

// Calls `take` with each piece of the text: between separators, or each character if there are none.
template <class Take>
void ForEachPiece(std::string_view text, std::string_view separator, uint64_t count_max, Take take) {
  if (separator.empty()) {
    while (!text.empty() && count_max > 1) {
      const size_t size = api::DecodeUtf8(text).size;
      take(text.substr(0, size));
      text.remove_prefix(size);
      --count_max;
    }
    if (!text.empty()) take(text);
    return;
  }
  for (; count_max > 1; --count_max) {
    const size_t at = FindPart(text, separator, 0);
    if (at == text.npos) break;
    take(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  take(text);
}

Value Split(Arena& arena, Args args) {
  const int64_t count = args.size() > 2 ? args[2].integer() : -1;
  std::vector<Value> pieces;
  if (count != 0) {
    const uint64_t count_max = count < 0 ? UINT64_MAX : static_cast<uint64_t>(count);
    ForEachPiece(args[0].string(), args[1].string(), count_max, [&pieces, &arena](std::string_view piece) {
      arena.Count(sizeof(Value));
      pieces.push_back(Value::String(piece));
    });
  }
  return MakeList(arena, pieces);
}

Value Replace(Arena& arena, Args args) {
  const std::string_view text = args[0].string();
  const std::string_view old = args[1].string();
  const std::string_view replacement = args[2].string();
  const int64_t count = args.size() > 3 ? args[3].integer() : -1;
  uint64_t left = count < 0 ? UINT64_MAX : static_cast<uint64_t>(count);
  std::string out;
  const auto append = [&out, &arena](std::string_view part) {
    arena.Count(part.size());
    out += part;
  };
  size_t at = 0;
  if (old.empty()) {
    // In front of each character, and behind the last.
    for (; left > 0; --left) {
      append(replacement);
      if (at == text.size()) break;
      const size_t size = api::DecodeUtf8(text.substr(at)).size;
      append(text.substr(at, size));
      at += size;
    }
  } else {
    for (; left > 0; --left) {
      const size_t found = FindPart(text, old, at);
      if (found == text.npos) break;
      append(text.substr(at, found - at));
      append(replacement);
      at = found + old.size();
    }
  }
  append(text.substr(at));
  return Value::String(arena.Text(out));
}

Value Join(Arena& arena, Args args) {
  const List& list = args[0].list();
  const std::string_view separator = args.size() > 1 ? args[1].string() : "";
  std::string out;
  SpendOn(arena, list);
  for (size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    if (!element.Is(Kind::kString)) return Fail(arena, "join: invalid input: " + GoText(arena, element));
    arena.Count(separator.size() + element.string().size());
    if (i > 0) out += separator;
    out += element.string();
  }
  return Value::String(arena.Text(out));
}

Value Quote(Arena& arena, Args args) {
  constexpr std::string_view kPlain = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kNames = "abfnrtv\\\"";
  std::string out = "\"";
  for (const char c : args[0].string()) {
    if (const size_t at = kPlain.find(c); at != kPlain.npos) {
      out += '\\';
      out += kNames[at];
    } else {
      out += c;
    }
  }
  return Value::String(arena.Text(out + "\""));
}

constexpr Declaration kStringFunctions[] = {
    {"charAt", "string_char_at_int", "string.(int): string", CharAt},
    {"indexOf", "string_index_of_string", "string.(string): int", IndexOfText},
    {"indexOf", "string_index_of_string_int", "string.(string, int): int", IndexOfText},
    {"lastIndexOf", "string_last_index_of_string", "string.(string): int", LastIndexOfText},
    {"lastIndexOf", "string_last_index_of_string_int", "string.(string, int): int", LastIndexOfText},
    {"lowerAscii", "string_lower_ascii", "string.(): string", ChangeAscii<ToLower>},
    {"upperAscii", "string_upper_ascii", "string.(): string", ChangeAscii<ToUpper>},
    {"replace", "string_replace_string_string", "string.(string, string): string", Replace},
    {"replace", "string_replace_string_string_int", "string.(string, string, int): string", Replace},
    {"split", "string_split_string", "string.(string): list(string)", Split},
    {"split", "string_split_string_int", "string.(string, int): list(string)", Split},
    {"substring", "string_substring_int", "string.(int): string", Substring},
    {"substring", "string_substring_int_int", "string.(int, int): string", Substring},
    {"trim", "string_trim", "string.(): string", Trim},
    {"format", "string_format", "string.(list(dyn)): string", FormatString},
    {"strings.quote", "strings_quote", "(string): string", Quote},
    {"join", "list_join", "list(string).(): string", Join},
    {"join", "list_join_string", "list(string).(string): string", Join},
};

}  // namespace

std::span<const Declaration> StringFunctions() { return kStringFunctions; }

}  // namespace berth::cel
