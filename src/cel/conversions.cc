// SPDX-License-Identifier: Apache-2.0
// Conversions between types: int("1"), string(2.5) and so on.
#include <fmt/format.h>

#include <string>

#include "api/document/utf8.h"
#include "base/time.h"
#include "cel/clock_time.h"
#include "cel/network.h"
#include "cel/numbers.h"
#include "cel/operations.h"

namespace berth::cel {
namespace {

constexpr std::string_view kDuration = "google.protobuf.Duration";
constexpr std::string_view kTimestamp = "google.protobuf.Timestamp";

Value CannotConvert(Arena& arena, const Value& value, std::string_view type) {
  return Fail(arena, fmt::format("type conversion error from '{}' to '{}'", TypeName(value), type));
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const api::Utf8Char c = api::DecodeUtf8(text);
    if (!c.valid) return false;
    text.remove_prefix(c.size);
  }
  return true;
}

}  // namespace

Value ToBool(Arena& arena, const Value& value) {
  if (value.Is(Kind::kBool)) return value;
  if (value.Is(Kind::kString)) {
    for (const std::string_view text : {"1", "t", "T", "TRUE", "true", "True"}) {
      if (value.string() == text) return Value::Bool(true);
    }
    for (const std::string_view text : {"0", "f", "F", "FALSE", "false", "False"}) {
      if (value.string() == text) return Value::Bool(false);
    }
  }
  return CannotConvert(arena, value, "bool");
}

Value ToInt(Arena& arena, const Value& value) {
  switch (value.kind()) {
    case Kind::kInt: return value;
    case Kind::kUint:
      if (value.unsigned_integer() > INT64_MAX) return Value::Error("integer overflow");
      return Value::Int(static_cast<int64_t>(value.unsigned_integer()));
    case Kind::kDouble: {
      const std::optional<int64_t> number = TruncatedInt(value.real());
      return number ? Value::Int(*number) : Value::Error("integer overflow");
    }
    case Kind::kString:
      if (const std::optional<int64_t> number = ParseGoInt(value.string())) return Value::Int(*number);
      break;
    case Kind::kDuration: return Value::Int(value.duration_nanos());
    case Kind::kTimestamp: return Value::Int(value.timestamp().seconds);
    default: break;
  }
  return CannotConvert(arena, value, "int");
}

Value ToUint(Arena& arena, const Value& value) {
  switch (value.kind()) {
    case Kind::kUint: return value;
    case Kind::kInt:
      if (value.integer() < 0) return Value::Error("unsigned integer overflow");
      return Value::Uint(static_cast<uint64_t>(value.integer()));
    case Kind::kDouble: {
      const std::optional<uint64_t> number = TruncatedUint(value.real());
      return number ? Value::Uint(*number) : Value::Error("unsigned integer overflow");
    }
    case Kind::kString:
      if (const std::optional<uint64_t> number = ParseGoUint(value.string())) return Value::Uint(*number);
      break;
    default: break;
  }
  return CannotConvert(arena, value, "uint");
}

Value ToDouble(Arena& arena, const Value& value) {
  switch (value.kind()) {
    case Kind::kDouble: return value;
    case Kind::kInt: return Value::Double(static_cast<double>(value.integer()));
    case Kind::kUint: return Value::Double(static_cast<double>(value.unsigned_integer()));
    case Kind::kString:
      if (const std::optional<double> number = ParseGoFloat(value.string())) return Value::Double(*number);
      break;
    default: break;
  }
  return CannotConvert(arena, value, "double");
}

Value ToText(Arena& arena, const Value& value) {
  const auto text = [&arena](std::string_view characters) { return Value::String(arena.Text(characters)); };
  switch (value.kind()) {
    case Kind::kString: return value;
    case Kind::kBool: return Value::String(value.boolean() ? "true" : "false");
    case Kind::kInt: return text(std::to_string(value.integer()));
    case Kind::kUint: return text(std::to_string(value.unsigned_integer()));
    case Kind::kDouble: return text(FormatG(value.real()));
    case Kind::kBytes:
      if (IsUtf8(value.bytes())) return Value::String(value.bytes());
      return Value::Error("invalid UTF-8 in bytes, cannot convert to string");
    case Kind::kDuration: return text(FormatSeconds(value.duration_nanos()));
    case Kind::kTimestamp: return text(FormatTimestamp(value.timestamp()));
    case Kind::kNull: return Value::String("null");
    case Kind::kType: return Value::String(value.type_name());
    case Kind::kIp: return text(value.ip().String());
    case Kind::kCidr: return text(value.cidr().String());
    default: return CannotConvert(arena, value, "string");
  }
}

Value ToBytes(Arena& arena, const Value& value) {
  if (value.Is(Kind::kBytes)) return value;
  if (value.Is(Kind::kString)) return Value::Bytes(value.string());
  return CannotConvert(arena, value, "bytes");
}

Value ToDuration(Arena& arena, const Value& value) {
  if (value.Is(Kind::kDuration)) return value;
  if (value.Is(Kind::kString)) {
    if (const Result<Duration> duration = ParseDuration(value.string())) return Value::Duration(duration->nanos);
  }
  return CannotConvert(arena, value, kDuration);
}

Value ToTimestamp(Arena& arena, const Value& value) {
  if (value.Is(Kind::kTimestamp)) return value;
  std::optional<Timestamp> time;
  if (value.Is(Kind::kInt)) time = Timestamp{.seconds = value.integer()};
  if (value.Is(Kind::kString)) time = ParseTimestamp(value.string());
  if (!time) return CannotConvert(arena, value, kTimestamp);
  return IsTimestampSecond(time->seconds) ? Value::Time(*time) : Value::Error("timestamp overflow");
}

}  // namespace berth::cel
