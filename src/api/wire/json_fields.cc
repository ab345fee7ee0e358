// SPDX-License-Identifier: Apache-2.0
#include "api/wire/json_fields.h"

#include <algorithm>

namespace berth::api {
namespace {

using wire::Field;
using wire::Form;
using wire::Message;
using wire::MessageAt;
using wire::Shape;
using wire::Type;
using Unset = JsonField::Unset;

// Whether Go has nil for it.
bool IsNullable(const Field& field) {
  return field.Has(wire::kPointer) || field.shape != Shape::kSingle || field.type == Type::kBytes ||
         (field.type == Type::kMessage && MessageAt(field.message).form == Form::kStrings);
}

// Structs are never empty for omitempty, so they are written whatever they hold.
Unset UnsetOf(const Field& field) {
  const bool is_struct = field.type == Type::kMessage && !IsNullable(field);
  if (field.Has(is_struct ? wire::kOmitZero : wire::kOmitEmpty)) return Unset::kLeftOut;
  return IsNullable(field) ? Unset::kNull : Unset::kZero;
}

}  // namespace

std::string_view ShortName(const Message& message) { return message.name.substr(message.name.rfind('.') + 1); }

JsonFields::JsonFields(const Message& message) {
  Add(message, {});
  std::ranges::sort(by_name_, {}, &JsonField::name);
  for (const JsonField& field : by_name_) {
    if (field.unset != Unset::kLeftOut) always_.push_back(&field);
  }
}

void JsonFields::Add(const Message& message, const std::string& embedded) {
  for (const Field& field : message.fields()) {
    if (field.Has(wire::kInline)) {
      const Message& inner = MessageAt(field.message);
      Add(inner, std::string(embedded).append(ShortName(inner)).append("."));
      continue;
    }
    by_name_.push_back({.name = field.name(),
                        .field = &field,
                        .unset = UnsetOf(field),
                        .place = static_cast<uint16_t>(by_name_.size()),
                        .embedded = embedded});
  }
}

std::vector<JsonFields> JsonFields::MakeAll() {
  std::vector<JsonFields> all;
  all.reserve(wire::Messages().size());
  for (const Message& message : wire::Messages()) all.push_back(JsonFields(message));
  return all;
}

const JsonFields& JsonFields::Of(const Message& message) {
  static const std::vector<JsonFields> kAll = MakeAll();
  return kAll[static_cast<size_t>(&message - wire::Messages().data())];
}

const JsonField* JsonFields::Find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(by_name_, name, {}, &JsonField::name);
  return at != by_name_.end() && at->name == name ? &*at : nullptr;
}

}  // namespace berth::api
