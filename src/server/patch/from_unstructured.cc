// SPDX-License-Identifier: Apache-2.0
#include "server/patch/from_unstructured.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "server/patch/go_text.h"

namespace berth::server {
namespace {

namespace wire = api::wire;

// As reflection names it.
std::string_view GoKind(const Json& value) {
  if (value.is_map()) return "map";
  return value.is_list() ? "slice" : GoType(value);
}

// The number as an integer, if it is one.
std::optional<int64_t> Whole(const Json& value) {
  if (const auto whole = value.AsInt()) return whole;
  double number = 0;
  const std::string& digits = value.text();
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (number != std::trunc(number) || std::abs(number) >= 0x1p63) return std::nullopt;
  return static_cast<int64_t>(number);
}

Result<void> ConvertNumber(Json& value, bool is_short) {
  const std::string_view type = is_short ? "int32" : "int64";
  if (!value.is_number()) return Invalid(fmt::format("unrecognized type: {}", type));
  const auto whole = Whole(value);
  if (!whole) return Invalid(fmt::format("cannot convert float64 to {}", type));
  value = Json::Int(is_short ? static_cast<int32_t>(*whole) : *whole);
  return {};
}

Result<void> ConvertSingle(Json& value, const wire::Field& field) {
  if (value.is_null()) return {};
  switch (field.type) {
    case wire::Type::kString:
      if (value.is_string()) return {};
      return Invalid(value.AsInt() ? "cannot convert int64 to string" : "unrecognized type: string");
    case wire::Type::kBool:
      if (value.is_bool()) return {};
      return Invalid("unrecognized type: bool");
    case wire::Type::kInt32: return ConvertNumber(value, true);
    case wire::Type::kInt64: return ConvertNumber(value, false);
    case wire::Type::kBytes:
      if (value.is_string() || value.is_list()) return {};
      return Invalid(fmt::format("cannot restore slice from {}", GoKind(value)));
    case wire::Type::kMessage: return ConvertScalars(value, wire::MessageAt(field.message));
  }
  return {};
}

Result<void> ConvertField(Json& value, const wire::Field& field) {
  if (value.is_null()) return {};
  switch (field.shape) {
    case wire::Shape::kSingle: return ConvertSingle(value, field);
    case wire::Shape::kRepeated:
      if (!value.is_list()) return Invalid(fmt::format("cannot restore slice from {}", GoKind(value)));
      for (Json& item : value.mutable_items()) BERTH_CHECK_OK(ConvertSingle(item, field));
      return {};
    case wire::Shape::kMap:
      if (!value.is_map()) return Invalid(fmt::format("cannot restore map from {}", GoKind(value)));
      for (Json::Member& member : value.mutable_members()) BERTH_CHECK_OK(ConvertSingle(member.value, field));
      return {};
  }
  return {};
}

}  // namespace

Result<void> ConvertScalars(Json& object, const wire::Message& message) {
  if (message.form != wire::Form::kStruct) return {};
  if (!object.is_map()) return Invalid(fmt::format("cannot restore struct from: {}", GoKind(object)));
  for (const wire::Field& field : message.fields()) {
    if (field.Has(wire::kInline)) {
      BERTH_CHECK_OK(ConvertScalars(object, wire::MessageAt(field.message)));
    } else if (Json* const member = object.Find(field.name())) {
      BERTH_CHECK_OK(ConvertField(*member, field));
    }
  }
  return {};
}

}  // namespace berth::server
