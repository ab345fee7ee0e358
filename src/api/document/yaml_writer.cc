// SPDX-License-Identifier: Apache-2.0
#include "api/document/yaml_writer.h"

#include <yaml.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "api/document/utf8.h"
#include "api/document/yaml_scalar.h"
#include "base/ascii.h"
#include "base/assert.h"

namespace berth::api {
namespace {

using Kind = Value::Kind;

// Whether upstream's reader takes the text for a value of another kind than a string.
bool LooksLikeOther(std::string_view text) {
  if (IsYamlBase60(text) || IsYamlTimestamp(text)) return true;
  const auto scalar = ResolveYamlScalar({}, true, std::string(text));
  return !scalar || scalar->kind != Kind::kString;
}

// A number as upstream prints it: integers of 64 bits as they are, others as Go's shortest form of a double.
std::string NumberText(std::string_view text) {
  const auto scalar = ResolveYamlScalar({}, true, std::string(text));
  if (!scalar || scalar->kind != Kind::kNumber) return std::string(text);
  if (!scalar->is_float) return scalar->text;
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  char buffer[64];
  auto end = std::to_chars(std::begin(buffer), std::end(buffer), number, std::chars_format::scientific).ptr;
  const char* exponent_text = std::find(buffer, end, 'e') + 1;
  if (*exponent_text == '+') ++exponent_text;
  int exponent = 0;
  std::from_chars(exponent_text, end, exponent);
  const bool is_short = exponent >= -4 && exponent < 6;
  if (is_short) end = std::to_chars(std::begin(buffer), std::end(buffer), number, std::chars_format::fixed).ptr;
  return {buffer, end};
}

// A character of a name.
struct NameChar {
  char32_t code_point = 0;
  // Beyond ASCII by and large: what is no punctuation, symbol or picture.
  bool is_letter() const {
    if (code_point < 0x80) return IsLetter(static_cast<char>(code_point));
    const bool is_symbol = (code_point >= 0x2000 && code_point < 0x2C00) ||
                           (code_point >= 0xFE00 && code_point <= 0xFFFF) ||
                           (code_point >= 0x1F000 && code_point < 0x20000);
    return code_point >= 0xC0 && !is_symbol;
  }
  bool is_digit() const { return code_point >= '0' && code_point <= '9'; }
};

std::vector<NameChar> CharsOf(std::string_view name) {
  std::vector<NameChar> chars;
  while (!name.empty()) {
    const Utf8Char next = DecodeUtf8(name);
    chars.push_back({next.valid ? next.code_point : char32_t{0xFFFD}});
    name.remove_prefix(next.size);
  }
  return chars;
}

// The number that begins here; `at` goes behind it. It may overflow, as upstream's does.
uint64_t TakeNumber(const std::vector<NameChar>& chars, size_t& at, uint64_t number) {
  for (; at < chars.size() && chars[at].is_digit(); ++at) number = number * 10 + (chars[at].code_point - '0');
  return number;
}

// Whether digits other than 0 stand directly before this place.
bool FollowsNumber(const std::vector<NameChar>& chars, size_t at) {
  while (at > 0 && chars[at - 1].is_digit()) {
    if (chars[--at].code_point != '0') return true;
  }
  return false;
}

bool NameLess(std::string_view left_name, std::string_view right_name) {
  const std::vector<NameChar> left = CharsOf(left_name);
  const std::vector<NameChar> right = CharsOf(right_name);
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    const char32_t l = left[i].code_point;
    const char32_t r = right[i].code_point;
    if (l == r) continue;
    if (left[i].is_letter() && right[i].is_letter()) return l < r;
    if (left[i].is_letter() || right[i].is_letter()) return right[i].is_letter();
    const uint64_t first = (l == '0' || r == '0') && FollowsNumber(left, i) ? 1 : 0;
    size_t left_end = i;
    size_t right_end = i;
    const auto left_number = static_cast<int64_t>(TakeNumber(left, left_end, first));
    const auto right_number = static_cast<int64_t>(TakeNumber(right, right_end, first));
    if (left_number != right_number) return left_number < right_number;
    if (left_end != right_end) return left_end < right_end;
    return l < r;
  }
  return left.size() < right.size();
}

// Bytes that are no UTF-8 become U+FFFD.
std::string ToValidUtf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const Utf8Char next = DecodeUtf8(text);
    valid += next.valid ? text.substr(0, next.size) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(next.size);
  }
  return valid;
}

// Feeds libyaml's emitter, whose offspring is upstream's.
class Writer {
 public:
  explicit Writer(YamlOrder order) : order_(order) {
    BERTH_ASSERT(yaml_emitter_initialize(&emitter_) == 1);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_output(&emitter_, Append, &out_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { yaml_emitter_delete(&emitter_); }

  std::string Print(Value value) {
    yaml_event_t event;
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    Emit(event);
    yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1);
    Emit(event);
    Write(value);
    yaml_document_end_event_initialize(&event, 1);
    Emit(event);
    emitter_.open_ended = 0;  // No "..." behind a block that keeps its line breaks.
    yaml_stream_end_event_initialize(&event);
    Emit(event);
    return std::move(out_);
  }

 private:
  static int Append(void* out, unsigned char* bytes, size_t size) {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  void Emit(yaml_event_t& event) { BERTH_ASSERT(yaml_emitter_emit(&emitter_, &event) == 1); }

  void Write(Value value) {
    switch (value.kind()) {
      case Kind::kNull: return WriteScalar("null", YAML_PLAIN_SCALAR_STYLE);
      case Kind::kBool: return WriteScalar(value.text(), YAML_PLAIN_SCALAR_STYLE);
      case Kind::kNumber: return WriteScalar(NumberText(value.text()), YAML_PLAIN_SCALAR_STYLE);
      case Kind::kString: return WriteString(value.text());
      case Kind::kList: return WriteList(value);
      case Kind::kMap: return WriteMap(value);
    }
  }

  void WriteList(Value list) {
    yaml_event_t event;
    yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE);
    Emit(event);
    for (size_t i = 0; i < list.size(); ++i) Write(list[i]);
    yaml_sequence_end_event_initialize(&event);
    Emit(event);
  }

  void WriteMap(Value map) {
    std::vector<size_t> places(map.size());
    std::iota(places.begin(), places.end(), size_t{0});
    if (order_ == YamlOrder::kSorted) {
      std::ranges::stable_sort(places, NameLess, [&](size_t place) { return map.key(place); });
    }
    yaml_event_t event;
    yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE);
    Emit(event);
    for (const size_t place : places) {
      WriteKey(map.key(place));
      Write(map[place]);
    }
    yaml_mapping_end_event_initialize(&event);
    Emit(event);
  }

  // Unquoted, << would merge another map into this one.
  void WriteKey(std::string_view name) {
    name == "<<" ? WriteScalar(name, YAML_DOUBLE_QUOTED_SCALAR_STYLE) : WriteString(name);
  }

  void WriteString(std::string_view text) {
    if (text.find('\n') != text.npos) return WriteScalar(text, YAML_LITERAL_SCALAR_STYLE);
    WriteScalar(text, LooksLikeOther(text) ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE);
  }

  void WriteScalar(std::string_view text, yaml_scalar_style_t style) {
    yaml_event_t event;
    const auto make = [&](std::string_view valid) {
      return yaml_scalar_event_initialize(&event, nullptr, nullptr, reinterpret_cast<const yaml_char_t*>(valid.data()),
                                          static_cast<int>(valid.size()), 1, 1, style) == 1;
    };
    if (!make(text)) BERTH_ASSERT(make(ToValidUtf8(text)));
    Emit(event);
  }

  YamlOrder order_;
  yaml_emitter_t emitter_{};
  std::string out_;
};

}  // namespace

std::string ToYaml(Value value, YamlOrder order) { return Writer(order).Print(value); }

}  // namespace berth::api
