// SPDX-License-Identifier: Apache-2.0
// JsonFields: the members that a message has as a JSON object, by name and in the order in which they are written.
//
// Unlike the wire table it has those of inline fields in their place.
//
// Thread: any; made at the first use and constant.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/wire/table.h"

namespace berth::api {

struct JsonField {
  // What a member is when nobody set it.
  enum class Unset : uint8_t { kLeftOut, kNull, kZero };

  std::string_view name;
  const wire::Field* field = nullptr;
  Unset unset = Unset::kLeftOut;
  uint16_t place = 0;    // In the order of JSON.
  std::string embedded;  // Go's names of the inline fields around it, each with a dot behind it.

  // REQUIRES: the field is of messages.
  const wire::Message& message() const { return wire::MessageAt(field->message); }
};

class JsonFields {
 public:
  static const JsonFields& Of(const wire::Message& message);

  std::span<const JsonField> by_name() const { return by_name_; }
  // Those that an object always has.
  std::span<const JsonField* const> always() const { return always_; }
  // Null if there is none.
  const JsonField* Find(std::string_view name) const;

 private:
  explicit JsonFields(const wire::Message& message);
  void Add(const wire::Message& message, const std::string& embedded);
  static std::vector<JsonFields> MakeAll();

  // Where in `slots_` the search for a name begins.
  size_t SlotOf(std::string_view name) const;
  void FillSlots();

  std::vector<JsonField> by_name_;
  std::vector<const JsonField*> always_;
  std::vector<uint8_t> slots_;  // One more than an index into by_name_, or 0; a power of two of them.
};

// The name of a message without those of the packages, such as PodSpec.
std::string_view ShortName(const wire::Message& message);

}  // namespace berth::api
