// SPDX-License-Identifier: Apache-2.0
#include "cel/operations.h"

#include <fmt/format.h>

#include <cmath>

#include "api/document/utf8.h"
#include "cel/containers.h"
#include "cel/made_objects.h"
#include "cel/numbers.h"
#include "cel/semver.h"

namespace berth::cel {

Value Fail(Arena& arena, std::string_view message) { return Value::Error(arena.Text(message)); }

Value NoSuchOverload() { return Value::Error("no such overload"); }

std::string_view TypeName(const Value& value) {
  switch (value.kind()) {
    case Kind::kError: return "error";
    case Kind::kNull: return "null_type";
    case Kind::kBool: return "bool";
    case Kind::kInt: return "int";
    case Kind::kUint: return "uint";
    case Kind::kDouble: return "double";
    case Kind::kString: return "string";
    case Kind::kBytes: return "bytes";
    case Kind::kDuration: return "google.protobuf.Duration";
    case Kind::kTimestamp: return "google.protobuf.Timestamp";
    case Kind::kList: return "list";
    case Kind::kMap: return "map";
    case Kind::kType: return "type";
    case Kind::kOptional: return "optional_type";
    case Kind::kQuantity: return "kubernetes.Quantity";
    case Kind::kSemver: return "kubernetes.Semver";
    case Kind::kUrl: return "kubernetes.URL";
    case Kind::kIp: return "net.IP";
    case Kind::kCidr: return "net.CIDR";
    case Kind::kFormat: return "kubernetes.NamedFormat";
    case Kind::kObject: return value.object().type;
  }
  return {};
}

std::string_view GoTypeName(const Value& value) {
  switch (value.kind()) {
    case Kind::kError: return "*types.Err";
    case Kind::kNull: return "types.Null";
    case Kind::kBool: return "types.Bool";
    case Kind::kInt: return "types.Int";
    case Kind::kUint: return "types.Uint";
    case Kind::kDouble: return "types.Double";
    case Kind::kString: return "types.String";
    case Kind::kBytes: return "types.Bytes";
    case Kind::kDuration: return "types.Duration";
    case Kind::kTimestamp: return "types.Timestamp";
    case Kind::kList: return value.list().make() == List::Make::kJoined ? "*types.concatList" : "*types.baseList";
    case Kind::kMap: return "*types.baseMap";
    case Kind::kType: return "*types.Type";
    case Kind::kOptional: return "*types.Optional";
    case Kind::kQuantity: return value.is_computed_quantity() ? "*cel.Quantity" : "cel.Quantity";
    case Kind::kSemver: return "cel.Semver";
    case Kind::kUrl: return "cel.URL";
    case Kind::kIp: return "cel.IP";
    case Kind::kCidr: return "cel.CIDR";
    case Kind::kFormat: return "cel.Format";
    case Kind::kObject: return value.object().type == kPatchType ? "*mutation.JSONPatchVal" : "*dynamic.ObjectVal";
  }
  return {};
}

bool HasTrait(const Value& value, Trait trait) {
  const auto one_of = [&value](auto... kinds) { return (value.Is(kinds) || ...); };
  switch (trait) {
    case Trait::kNone: return true;
    case Trait::kAdd:
      return one_of(Kind::kBytes, Kind::kDouble, Kind::kDuration, Kind::kInt, Kind::kString, Kind::kTimestamp,
                    Kind::kUint, Kind::kList);
    case Trait::kCompare:
      return one_of(Kind::kBool, Kind::kBytes, Kind::kDouble, Kind::kDuration, Kind::kInt, Kind::kString,
                    Kind::kTimestamp, Kind::kUint);
    case Trait::kDivide:
    case Trait::kMultiply: return one_of(Kind::kDouble, Kind::kInt, Kind::kUint);
    case Trait::kModulo: return one_of(Kind::kInt, Kind::kUint);
    case Trait::kNegate: return one_of(Kind::kBool, Kind::kDouble, Kind::kDuration, Kind::kInt);
    case Trait::kSubtract: return one_of(Kind::kDouble, Kind::kDuration, Kind::kInt, Kind::kTimestamp, Kind::kUint);
    case Trait::kSize: return one_of(Kind::kBytes, Kind::kString, Kind::kList, Kind::kMap);
    case Trait::kMatch: return value.Is(Kind::kString);
    case Trait::kList: return value.Is(Kind::kList);
  }
  return false;
}

bool IsReceiver(const Value& value) {
  return value.Is(Kind::kString) || value.Is(Kind::kDuration) || value.Is(Kind::kTimestamp);
}

uint64_t CountCharacters(std::string_view text) {
  uint64_t count = 0;
  for (size_t i = 0; i < text.size(); ++count) {
    i += static_cast<unsigned char>(text[i]) < 0x80 ? 1 : api::DecodeUtf8(text.substr(i)).size;
  }
  return count;
}

bool IsZero(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull: return true;
    case Kind::kBool: return !value.boolean();
    case Kind::kInt: return value.integer() == 0;
    case Kind::kUint: return value.unsigned_integer() == 0;
    case Kind::kDouble: return value.real() == 0;
    case Kind::kString: return value.string().empty();
    case Kind::kBytes: return value.bytes().empty();
    case Kind::kDuration: return value.duration_nanos() == 0;
    case Kind::kTimestamp: {
      constexpr int64_t kYearOne = -62135596800;
      return value.timestamp().seconds == kYearOne && value.timestamp().nanos == 0;
    }
    case Kind::kList: return value.list().size() == 0;
    case Kind::kMap: return value.map().size() == 0;
    case Kind::kObject: return value.object().type != kPatchType && value.object().fields.size() == 0;
    default: return false;
  }
}

std::string GoText(Arena& arena, const Value& value) {
  arena.Spend(1);
  switch (value.kind()) {
    case Kind::kError: return std::string(value.message());
    case Kind::kNull: return "NULL_VALUE";
    case Kind::kBool: return value.boolean() ? "true" : "false";
    case Kind::kInt: return std::to_string(value.integer());
    case Kind::kUint: return std::to_string(value.unsigned_integer());
    case Kind::kDouble: return FormatG(value.real());
    case Kind::kString: return std::string(value.string());
    case Kind::kBytes: {
      std::string text = "[";
      for (const char byte : value.bytes())
        text += fmt::format("{}{}", text.size() > 1 ? " " : "", static_cast<uint8_t>(byte));
      return text + "]";
    }
    case Kind::kList: {
      std::string text = "[";
      for (size_t i = 0; i < value.list().size(); ++i) text += (i > 0 ? ", " : "") + GoText(arena, value.list().at(i));
      return text + "]";
    }
    case Kind::kMap: {
      std::string text = "{";
      for (const Map::Entry& entry : value.map().entries()) {
        if (text.size() > 1) text += ", ";
        text += GoText(arena, entry.key) + ": " + GoText(arena, entry.value);
      }
      return text + "}";
    }
    case Kind::kType: return std::string(value.type_name());
    case Kind::kOptional:
      return value.optional() == nullptr ? "optional.none()" : "optional(" + GoText(arena, *value.optional()) + ")";
    case Kind::kQuantity: return value.quantity().String();
    case Kind::kSemver: return value.semver().text;
    default: {
      const Value text = ToText(arena, value);
      return std::string(text.Is(Kind::kString) ? text.string() : TypeName(value));
    }
  }
}

}  // namespace berth::cel
