// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>

#include "api/document/json_writer.h"
#include "api/typed/typed.h"
#include "api/wire/json_fields.h"

namespace berth::api {
namespace {

using wire::Field;
using wire::Form;
using wire::Message;
using wire::Shape;
using wire::Type;

void AppendName(std::string& out, std::string_view name, bool is_first) {
  if (!is_first) out += ',';
  out.append("\"").append(name).append("\":");
}

void AppendSingle(std::string& out, const Json& value, const Field& field) {
  if (field.type == Type::kMessage && value.is_map()) {
    const Message& message = wire::MessageAt(field.message);
    if (message.form == Form::kStruct) return AppendJson(out, value, message);
  }
  value.AppendText(out);
}

void AppendMember(std::string& out, const Json& value, const Field& field) {
  if (field.shape == Shape::kSingle || value.is_null()) return AppendSingle(out, value, field);
  bool is_first = true;
  if (value.is_list()) {
    out += '[';
    for (const Json& item : value.items()) {
      if (!std::exchange(is_first, false)) out += ',';
      AppendSingle(out, item, field);
    }
    out += ']';
    return;
  }
  out += '{';
  for (const Json::Member& member : value.members()) {
    if (!std::exchange(is_first, false)) out += ',';
    AppendQuoted(out, member.name);
    out += ':';
    AppendSingle(out, member.value, field);
  }
  out += '}';
}

}  // namespace

void AppendJson(std::string& out, const Json& object, const Message& message) {
  struct Slot {
    const Json* value;
    const Field* field;
  };
  // No message has more; the fuzzer would find it.
  constexpr size_t kFieldsMax = 128;
  std::array<Slot, kFieldsMax> slots;  // Few of them are used, so only those are set.
  const JsonFields& fields = JsonFields::Of(message);
  const std::span used = std::span(slots).first(fields.by_name().size());
  std::ranges::fill(used, Slot{nullptr, nullptr});
  for (const Json::Member& member : object.members()) {
    if (const JsonField* const field = fields.Find(member.name)) used[field->place] = {&member.value, field->field};
  }
  out += '{';
  bool is_first = true;
  for (const Slot& slot : used) {
    if (slot.value == nullptr) continue;
    AppendName(out, slot.field->name(), std::exchange(is_first, false));
    AppendMember(out, *slot.value, *slot.field);
  }
  out += '}';
}

std::string EncodeJson(const Json& object, const Message& message) {
  constexpr size_t kUsualBytes = 2048;
  std::string out;
  out.reserve(kUsualBytes);
  AppendJson(out, object, message);
  return out;
}

}  // namespace berth::api
