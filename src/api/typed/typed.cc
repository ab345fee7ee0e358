// SPDX-License-Identifier: Apache-2.0
#include "api/typed/typed.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "api/document/field_error.h"
#include "api/parts/quantity.h"
#include "api/typed/go_base64.h"
#include "api/typed/go_time.h"
#include "api/typed/member_path.h"
#include "api/wire/json_fields.h"
#include "api/wire/timestamp.h"
#include "base/base64.h"

namespace berth::api {
namespace {

using wire::Field;
using wire::Form;
using wire::Message;
using wire::MessageAt;
using wire::Shape;
using wire::Type;

// Walks a tree and the wire table together. A function returns false at the first value that does not fit.
class Canonicalizer {
 public:
  explicit Canonicalizer(std::vector<std::string>* unknown) : unknown_(unknown) {}

  std::string TakeError() { return std::move(error_); }

  bool Struct(Json& object, const Message& message, const MemberPath* path) {
    if (object.is_null()) object = Json::MakeMap();
    if (!object.is_map()) return Mismatch(path, object, GoTypeOf(message));
    const JsonFields& fields = JsonFields::Of(message);
    Json::Map& members = object.mutable_members();
    auto kept = members.begin();
    for (Json::Member& member : members) {
      const JsonField* const field = fields.Find(member.name);
      if (field == nullptr) {
        NoteUnknown(path, member.name);
        continue;
      }
      const MemberPath here{.up = path, .owner = &message, .field = field, .key = {}};
      if (!Member(member.value, *field, here)) return false;
      if (member.value.is_null() && field->unset == JsonField::Unset::kLeftOut) continue;
      if (&*kept != &member) *kept = std::move(member);
      ++kept;
    }
    members.erase(kept, members.end());
    return AddUnset(object, fields);
  }

  // REQUIRES: it is not left out.
  Json ValueWhenUnset(const JsonField& field) {
    Json value;
    // A zero value always fits.
    if (field.unset == JsonField::Unset::kZero) static_cast<void>(Single(value, *field.field, {}));
    return value;
  }

 private:
  bool Fail(std::string error) {
    error_ = std::move(error);
    return false;
  }

  bool Mismatch(const MemberPath* path, const Json& value, std::string_view type) {
    return Fail(GoTypeError(path, GoKindName(value.kind()), type));
  }

  void NoteUnknown(const MemberPath* path, std::string_view name) {
    if (unknown_ != nullptr) unknown_->push_back("unknown field " + GoQuote(PathOfMember(path, name)));
  }

  bool AddUnset(Json& object, const JsonFields& fields) {
    for (const JsonField* const field : fields.always()) {
      if (!object.Has(field->name)) object.Set(field->name, ValueWhenUnset(*field));
    }
    return true;
  }

  // Leaves null if the value counts as unset.
  bool Member(Json& value, const JsonField& of, const MemberPath& path) {
    if (value.is_null() && of.unset != JsonField::Unset::kZero) return true;
    const Field& field = *of.field;
    switch (field.shape) {
      case Shape::kRepeated: return List(value, field, path);
      case Shape::kMap: return Map(value, field, path);
      case Shape::kSingle: break;
    }
    if (!Single(value, field, path)) return false;
    if (of.unset == JsonField::Unset::kLeftOut && !field.Has(wire::kPointer) && IsEmpty(value)) value = {};
    return true;
  }

  static bool IsEmpty(const Json& value) {
    switch (value.kind()) {
      case Json::Kind::kNull: return true;
      case Json::Kind::kBool: return !value.AsBool();
      case Json::Kind::kNumber: return value.text() == "0";
      case Json::Kind::kString: return value.text().empty();
      case Json::Kind::kList:
      case Json::Kind::kMap: return value.empty();
    }
    return false;
  }

  // Upstream keeps objects as protobuf, where an empty list is no list.
  bool List(Json& value, const Field& field, const MemberPath& path) {
    if (!value.is_list()) return Mismatch(&path, value, GoTypeOf(field));
    for (size_t i = 0; i < value.size(); ++i) {
      const MemberPath here{.up = &path, .key = {}, .index = i};
      if (!Single(value.mutable_items()[i], field, here)) return false;
    }
    if (value.empty()) value = {};
    return true;
  }

  bool Map(Json& value, const Field& field, const MemberPath& path) {
    if (!value.is_map()) return Mismatch(&path, value, GoTypeOf(field));
    for (Json::Member& member : value.mutable_members()) {
      const MemberPath here{.up = &path, .key = member.name};
      if (!Single(member.value, field, here)) return false;
    }
    if (value.empty()) value = {};
    return true;
  }

  // Null becomes the zero value.
  bool Single(Json& value, const Field& field, const MemberPath& path) {
    switch (field.type) {
      case Type::kString:
        if (value.is_null()) value = Json::String("");
        return value.is_string() || Mismatch(&path, value, GoTypeOfElement(field));
      case Type::kBytes: return Bytes(value, path);
      case Type::kBool:
        if (value.is_null()) value = Json::Bool(false);
        return value.is_bool() || Mismatch(&path, value, GoTypeOfElement(field));
      case Type::kInt32: return Int<int32_t>(value, path, &field);
      case Type::kInt64: return Int<int64_t>(value, path, &field);
      case Type::kMessage: return OfMessage(value, field, path);
    }
    return true;
  }

  // Without `field` it is the number of an int-or-string.
  template <class T>
  bool Int(Json& value, const MemberPath& path, const Field* field) {
    if (value.is_null()) value = Json::Number("0");
    const auto type = [field] { return field == nullptr ? "int32" : GoTypeOfElement(*field); };
    if (!value.is_number()) return Mismatch(&path, value, type());
    const std::string& digits = value.text();
    T number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) {
      return Fail(GoTypeError(&path, "number " + digits, type()));
    }
    if (number == 0 && digits != "0") value = Json::Number("0");
    return true;
  }

  bool Bytes(Json& value, const MemberPath& path) {
    if (value.is_null()) value = Json::String("");
    if (value.is_list()) return BytesOfNumbers(value, path);
    if (!value.is_string()) return Mismatch(&path, value, "[]uint8");
    Result<std::string> bytes = DecodeGoBase64(value.text());
    if (!bytes) return Fail(std::move(bytes.error().message));
    value = Json::String(EncodeBase64(*bytes));
    return true;
  }

  // Go takes a list of numbers as well.
  bool BytesOfNumbers(Json& value, const MemberPath& path) {
    std::string bytes;
    for (const Json& item : value.items()) {
      if (!item.is_number() && !item.is_null()) return Mismatch(&path, item, "uint8");
      const std::optional<int64_t> number = item.is_null() ? 0 : item.AsInt();
      if (!number || *number < 0 || *number > 255) return Fail(GoTypeError(&path, "number " + item.text(), "uint8"));
      bytes += static_cast<char>(*number);
    }
    value = Json::String(EncodeBase64(bytes));
    return true;
  }

  bool OfMessage(Json& value, const Field& field, const MemberPath& path) {
    const Message& message = MessageAt(field.message);
    switch (message.form) {
      case Form::kStruct: return Struct(value, message, &path);
      case Form::kQuantity: return Quantity(value);
      case Form::kTime: return Time(value, false, path);
      case Form::kMicroTime: return Time(value, true, path);
      case Form::kIntOrString: return value.is_string() || Int<int32_t>(value, path, nullptr);
      case Form::kSchema:
      case Form::kRaw: return true;
      case Form::kStrings: return Strings(value, field, path);
    }
    return true;
  }

  bool Quantity(Json& value) {
    if (value.is_null()) value = Json::String("0");
    std::string_view text = value.text();
    const size_t begin = std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size());
    text = text.substr(begin, text.find_last_not_of(" \t\n\v\f\r") + 1 - begin);
    const Result<api::Quantity> quantity = api::Quantity::Parse(text);
    if (!quantity) return Fail(quantity.error().message);
    std::string canonical = quantity->String();
    if (!value.is_string() || value.text() != canonical) value = Json::String(std::move(canonical));
    return true;
  }

  // The zero time is written as null.
  bool Time(Json& value, bool micros, const MemberPath& path) {
    if (value.is_null()) return true;
    if (!value.is_string()) return Mismatch(&path, value, "string");
    Result<wire::Timestamp> time = ParseGoTime(value.text(), micros);
    if (!time) return Fail(std::move(time.error().message));
    if (!micros) time->nanos = 0;
    std::string text = *time == wire::kZeroTime ? std::string() : FormatTimestamp(*time, micros);
    value = text.empty() ? Json() : Json::String(std::move(text));
    return true;
  }

  bool Strings(Json& value, const Field& field, const MemberPath& path) {
    if (value.is_null()) value = Json::MakeList();
    if (!value.is_list()) return Mismatch(&path, value, GoTypeOfElement(field));
    for (Json& item : value.mutable_items()) {
      if (item.is_null()) item = Json::String("");
      if (!item.is_string()) return Mismatch(&path, item, "string");
    }
    return true;
  }

  std::vector<std::string>* unknown_;
  std::string error_;
};

}  // namespace

Result<void> Canonicalize(Json& object, const Message& message, std::vector<std::string>* unknown) {
  Canonicalizer canonicalizer(unknown);
  if (!canonicalizer.Struct(object, message, nullptr)) return Invalid(canonicalizer.TakeError());
  return {};
}

void ResetMember(Json& object, std::string_view name) {
  object.Erase(name);
  const wire::Kind* const kind = wire::FindKind(object["apiVersion"].text(), object["kind"].text());
  if (kind == nullptr) return;
  const JsonField* const field = JsonFields::Of(MessageAt(kind->message)).Find(name);
  if (field == nullptr || field->unset == JsonField::Unset::kLeftOut) return;
  object.Set(name, Canonicalizer(nullptr).ValueWhenUnset(*field));
}

}  // namespace berth::api
