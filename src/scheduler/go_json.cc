// SPDX-License-Identifier: Apache-2.0
#include "scheduler/go_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "api/document/json_scan.h"
#include "api/document/utf8.h"
#include "base/ascii.h"

namespace berth::scheduler {
namespace {

using api::Value;

std::string WithValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const api::Utf8Char next = api::DecodeUtf8(text);
    valid += next.valid ? text.substr(0, next.size) : "\uFFFD";
    text.remove_prefix(next.size);
  }
  return valid;
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

Result<api::Document> ParseFirstJson(std::string_view text) {
  const size_t begin = api::SkipJsonSpace(text, 0);
  if (begin == text.size()) return Invalid("EOF");
  if (const char first = text[begin]; !IsDigit(first) && !std::string_view("{[\"-tfn").contains(first)) {
    return Invalid(fmt::format("invalid character {} looking for beginning of value",
                               IsAscii({&first, 1}) ? fmt::format("'{}'", first) : "outside of ASCII"));
  }
  const std::optional<size_t> end = api::EndOfJsonValue(text, begin);
  if (!end) return Invalid("unexpected EOF");
  const std::string_view value = text.substr(begin, *end - begin);
  return IsAscii(value) ? api::ParseJson(value) : api::ParseJson(WithValidUtf8(value));
}

void GoJsonReader::Struct(Value value, std::string_view type, std::initializer_list<Field> fields) {
  if (value.is_null() || !IsMap(value, type)) return;
  const std::string_view outer = std::exchange(struct_, type.substr(type.find('.') + 1));
  for (size_t i = 0; i < value.size(); ++i) {
    const auto field =
        std::ranges::find_if(fields, [&](const Field& f) { return EqualsIgnoringCase(f.first, value.key(i)); });
    if (field == fields.end()) continue;
    place_.push_back(field->first);
    field->second(value[i]);
    place_.pop_back();
  }
  struct_ = outer;
}

void GoJsonReader::String(Value value, std::string& out) {
  if (!value.is_null() && Is(Value::Kind::kString, value, "string")) out = value.text();
}

void GoJsonReader::Int(Value value, int64_t& out) {
  if (value.is_null() || !Is(Value::Kind::kNumber, value, "int64")) return;
  const std::string_view text = value.text();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    out = number;
  } else {
    FailType(value, "int64");
  }
}

void GoJsonReader::Fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
}

Result<void> GoJsonReader::Finish() const {
  if (error_.empty()) return {};
  return Invalid(error_);
}

bool GoJsonReader::Is(Value::Kind kind, Value value, std::string_view type) {
  if (value.kind() == kind) return true;
  FailType(value, type);
  return false;
}

void GoJsonReader::FailType(Value value, std::string_view type) {
  std::string found(api::GoKindName(value.kind()));
  if (value.is_number() && type == "int64") fmt::format_to(std::back_inserter(found), " {}", value.text());
  const std::string target =
      place_.empty() ? "value" : fmt::format("struct field {}.{}", struct_, fmt::join(place_, "."));
  Fail(fmt::format("json: cannot unmarshal {} into Go {} of type {}", found, target, type));
}

}  // namespace berth::scheduler
