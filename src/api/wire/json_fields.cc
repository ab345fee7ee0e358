// SPDX-License-Identifier: Apache-2.0
#include "api/wire/json_fields.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

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
  FillSlots();
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
  for (size_t slot = SlotOf(name); slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const JsonField& field = by_name_[slots_[slot] - size_t{1}];
    if (field.name == name) return &field;
  }
  return nullptr;
}

// Every member that is read or written is looked for, so a few of its letters have to do.
size_t JsonFields::SlotOf(std::string_view name) const {
  if (name.empty()) return 0;
  const auto letter = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(name[at])); };
  const size_t hash = name.size() + 3 * letter(0) + 5 * letter(name.size() / 2) + 17 * letter(name.size() - 1);
  return hash & (slots_.size() - 1);
}

void JsonFields::FillSlots() {
  BERTH_ASSERT(by_name_.size() < UINT8_MAX);
  slots_.resize(std::bit_ceil(2 * by_name_.size() + 1));
  for (size_t i = 0; i < by_name_.size(); ++i) {
    size_t slot = SlotOf(by_name_[i].name);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<uint8_t>(i + 1);
  }
}

}  // namespace berth::api
