// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ranges>
#include <vector>

#include "api/document/kind_name.h"
#include "api/parts/quantity.h"
#include "api/wire/backward_writer.h"
#include "api/wire/protobuf.h"
#include "api/wire/schema_message.h"
#include "api/wire/table.h"
#include "api/wire/timestamp.h"
#include "base/base64.h"

namespace berth::api::wire {
namespace {

// Writes trees as messages, everything from the last to the first. A function returns false when the tree does not fit;
// the reason is kept, and each level on the way out puts its name in front of the path.
class Encoder {
 public:
  explicit Encoder(BackwardWriter& out) : out_(out) {}

  // The reason with the path of the field.
  std::string error() const { return path_.empty() ? reason_ : path_ + ": " + reason_; }

  // `object` is a map, or null for the zero message.
  bool Members(const Message& message, Value object) {
    if (!object.is_map() && !object.is_null()) return Mismatch("an object", object);
    for (const uint8_t place : message.wire_order() | std::views::reverse) {
      const Field& field = message.fields()[place];
      if (field.number != 0 && !Member(field, object)) return false;
    }
    return true;
  }

 private:
  bool Mismatch(std::string_view expected, Value found) {
    reason_ = fmt::format("expected {}, found {}", expected, NameOf(found.kind()));
    return false;
  }

  bool Refuse(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }

  bool Under(std::string_view name, bool ok) {
    if (!ok) path_.insert(0, fmt::format("{}{}", name, path_.empty() || path_.starts_with('[') ? "" : "."));
    return ok;
  }

  bool Member(const Field& field, Value object) {
    if (field.Has(kInline)) {
      const size_t before = out_.size();
      if (!Members(MessageAt(field.message), object)) return false;
      out_.Close(field.number, before);
      return true;
    }
    const Value value = object[field.name()];
    switch (field.shape) {
      case Shape::kSingle: return IsAbsent(field, value) || Under(field.name(), Single(field, field.number, value));
      case Shape::kRepeated: return Under(field.name(), List(field, value));
      case Shape::kMap: return Under(field.name(), Map(field, value));
    }
    return true;
  }

  // What stands for null is no field for pointers and byte strings; anything else is written with its zero value.
  static bool IsAbsent(const Field& field, Value value) {
    if (!value.is_null()) return false;
    if (field.Has(kPointer) || field.type == Type::kBytes) return true;
    return field.type == Type::kMessage && MessageAt(field.message).form == Form::kStrings;
  }

  bool List(const Field& field, Value list) {
    if (!list.is_list() && !list.is_null()) return Mismatch("a list", list);
    for (size_t i = list.size(); i > 0; --i) {
      if (!Single(field, field.number, list[i - 1])) return Under(fmt::format("[{}]", i - 1), false);
    }
    return true;
  }

  // Entries go out in the order of their keys; of equal keys the last counts.
  bool Map(const Field& field, Value map) {
    if (!map.is_map() && !map.is_null()) return Mismatch("an object", map);
    std::vector<std::pair<std::string_view, Value>> entries;
    for (size_t i = 0; i < map.size(); ++i) entries.emplace_back(map.key(i), map[i]);
    std::ranges::stable_sort(entries, {}, &std::pair<std::string_view, Value>::first);
    for (size_t i = entries.size(); i > 0; --i) {
      const auto& [key, value] = entries[i - 1];
      if (i < entries.size() && entries[i].first == key) continue;
      const size_t before = out_.size();
      const bool has_value = field.type != Type::kBytes || !value.is_null();
      if (has_value && !Single(field, 2, value)) return Under(key, false);
      out_.BytesField(1, key);
      out_.Close(field.number, before);
    }
    return true;
  }

  // One value, under `number`.
  bool Single(const Field& field, uint32_t number, Value value) {
    switch (field.type) {
      case Type::kString: return String(number, value);
      case Type::kBytes: return Base64(number, value);
      case Type::kBool:
        if (!value.is_bool() && !value.is_null()) return Mismatch("a boolean", value);
        out_.VarintField(number, value.AsBool().value_or(false) ? 1 : 0);
        return true;
      case Type::kInt32:
        return Int(number, value, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
      case Type::kInt64:
        return Int(number, value, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
      case Type::kMessage: break;
    }
    const size_t before = out_.size();
    if (!OfMessage(MessageAt(field.message), value)) return false;
    out_.Close(number, before);
    return true;
  }

  bool String(uint32_t number, Value value) {
    if (!value.is_string() && !value.is_null()) return Mismatch("a string", value);
    out_.BytesField(number, value.text());
    return true;
  }

  bool Base64(uint32_t number, Value value) {
    if (!value.is_string() && !value.is_null()) return Mismatch("a string", value);
    const auto bytes = DecodeBase64(value.text());
    if (!bytes) return Refuse("not base64");
    out_.BytesField(number, *bytes);
    return true;
  }

  bool Int(uint32_t field, Value value, int64_t min, int64_t max) {
    if (!value.is_number() && !value.is_null()) return Mismatch("a number", value);
    const auto number = value.is_null() ? 0 : value.AsInt();
    if (!number || *number < min || *number > max)
      return Refuse(fmt::format("{} is not an integer of this field", value.text()));
    out_.VarintField(field, static_cast<uint64_t>(*number));
    return true;
  }

  bool OfMessage(const Message& message, Value value) {
    switch (message.form) {
      case Form::kStruct: return Members(message, value);
      case Form::kQuantity: return OfQuantity(value);
      case Form::kTime: return OfTime(value, false);
      case Form::kMicroTime: return OfTime(value, true);
      case Form::kIntOrString: return IntOrString(value);
      case Form::kRaw:
        if (!value.is_null()) out_.BytesField(1, value.ToJson());
        return true;
      case Form::kStrings: return Strings(value);
      case Form::kSchema: WriteSchema(value, out_); return true;
    }
    return true;
  }

  bool OfQuantity(Value value) {
    if (value.is_null()) return out_.BytesField(1, "0"), true;
    if (!value.is_string() && !value.is_number()) return Mismatch("a quantity", value);
    const Result<Quantity> quantity = Quantity::Parse(value.text());
    if (!quantity) return Refuse(quantity.error().message);
    out_.BytesField(1, quantity->String());
    return true;
  }

  bool OfTime(Value value, bool micros) {
    if (value.is_null()) return true;
    if (!value.is_string()) return Mismatch("a time", value);
    const auto timestamp = ParseTimestamp(value.text());
    if (!timestamp) return Refuse(fmt::format("{} is not a time", value.ToJson()));
    if (*timestamp == kZeroTime) return true;
    out_.VarintField(2, micros ? static_cast<uint64_t>(timestamp->nanos / 1000 * 1000) : 0);
    out_.VarintField(1, static_cast<uint64_t>(timestamp->seconds));
    return true;
  }

  bool IntOrString(Value value) {
    if (value.is_string()) {
      out_.BytesField(3, value.text());
      out_.VarintField(2, 0);
      out_.VarintField(1, 1);
      return true;
    }
    out_.BytesField(3, {});
    if (!Int(2, value, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max())) return false;
    out_.VarintField(1, 0);
    return true;
  }

  bool Strings(Value value) {
    if (!value.is_list() && !value.is_null()) return Mismatch("a list", value);
    for (size_t i = value.size(); i > 0; --i) {
      if (!String(1, value[i - 1])) return Under(fmt::format("[{}]", i - 1), false);
    }
    return true;
  }

  BackwardWriter& out_;
  std::string path_;
  std::string reason_;
};

}  // namespace

Result<std::string> ToProtobuf(Value object) {
  const std::string_view api_version = object["apiVersion"].text();
  const std::string_view name = object["kind"].text();
  const Kind* const kind = FindKind(api_version, name);
  if (kind == nullptr) return Fail(Code::kNotFound, fmt::format("protobuf: no such kind: {} {}", api_version, name));

  BackwardWriter out;
  Encoder encoder(out);
  out.BytesField(4, {});  // Content type and encoding: none, so protobuf.
  out.BytesField(3, {});
  const size_t behind_object = out.size();
  if (!encoder.Members(MessageAt(kind->message), object)) return Invalid(encoder.error());
  out.Close(2, behind_object);
  const size_t behind_type = out.size();
  out.BytesField(2, name);
  out.BytesField(1, api_version);
  out.Close(1, behind_type);
  out.Bytes(kMagic);
  return out.Take();
}

}  // namespace berth::api::wire
