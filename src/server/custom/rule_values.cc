// SPDX-License-Identifier: Apache-2.0
#include "server/custom/rule_values.h"

#include <fmt/format.h>

#include <charconv>

#include "api/typed/go_base64.h"
#include "cel/clock_time.h"
#include "cel/containers.h"
#include "cel/declared_type.h"
#include "cel/declared_values.h"
#include "cel/operations.h"
#include "server/custom/rule_types.h"
#include "server/custom/text_format.h"

namespace berth::server {
namespace {

using cel::Value;
using Type = Schema::Type;

// The Go type in which upstream holds such a value.
std::string_view GoTypeOf(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kBool: return "bool";
    case Json::Kind::kNumber: return value.AsInt() ? "int64" : "float64";
    case Json::Kind::kString: return "string";
    case Json::Kind::kList: return "[]interface {}";
    case Json::Kind::kMap: return "map[string]interface {}";
    default: return "<nil>";
  }
}

// An object with properties, or a map.
class Members final : public cel::MapSource {
 public:
  Members(cel::Arena& arena, const Json& object, const Schema& schema, bool is_resource)
      : arena_(arena), object_(object), schema_(schema), is_resource_(is_resource || schema.is_embedded) {}

  void Fill(cel::Map& map) const override {
    arena_.Spend(object_.size());
    for (const Json::Member& member : object_.members()) {
      const Schema* const of = SchemaOf(member.name);
      if (of == nullptr || (!is_map() && (member.value.is_null() || IsOpaque(*of)))) continue;
      const std::string& name = member.name;
      std::string_view key = name;
      if (!is_map()) {
        const std::string escaped = cel::EscapeName(name);
        if (!escaped.empty() && escaped != name) key = arena_.Text(escaped);
      }
      arena_.Count(sizeof(cel::Map::Entry));
      map.Set(Value::String(key), ToRuleValue(arena_, member.value, *of, false));
    }
  }

  size_t size() const override { return object_.size(); }

  Value Equal(cel::Arena& arena, const cel::Map& map, const cel::Map& other) const override {
    if (map.size() != other.size()) return Value::Bool(false);
    const auto* const declared = dynamic_cast<const Members*>(other.source());
    for (const Json::Member& member : object_.members()) {
      arena.Spend(1);
      const Schema* const of = SchemaOf(member.name);
      if (of == nullptr || IsOpaque(*of)) {
        if (declared == nullptr) return cel::NoSuchOverload();
        const Json* const same = declared->object_.Find(member.name);
        if (same == nullptr ? of != nullptr : *same != member.value) return Value::Bool(false);
        continue;
      }
      // By its own name, as upstream does it: what has an escaped one is compared by that.
      const Value key = Value::String(std::string_view(member.name.text()));
      const Value* const value = FindIn(map, key);
      const Value* const against = FindIn(other, key);
      if ((value == nullptr) != (against == nullptr)) return Value::Bool(false);
      if (value == nullptr) continue;
      const Value equal = cel::EqualInside(arena, *value, *against);
      if (!equal.is_true()) return equal;
    }
    return Value::Bool(true);
  }

 private:
  bool is_map() const { return schema_.properties.empty() && !is_resource_ && schema_.additional != nullptr; }

  const Schema* SchemaOf(std::string_view name) const {
    if (is_resource_) {
      if (const Schema* const given = ResourceMember(schema_, name)) return given;
    }
    if (is_map()) return schema_.additional.get();
    return schema_.Find(name);
  }

  // Of what is kept although nothing is known of it; expressions do not see it.
  static bool IsOpaque(const Schema& schema) { return schema.type == Type::kAny && !schema.is_int_or_string; }

  const Value* FindIn(const cel::Map& map, const Value& name) const {
    if (const Value* const found = map.Find(name)) return found;
    if (is_map()) return nullptr;
    const std::string escaped = cel::EscapeName(name.string());
    return escaped.empty() ? nullptr : map.Find(Value::String(escaped));
  }

  cel::Arena& arena_;
  const Json& object_;
  const Schema& schema_;
  bool is_resource_;
};

class ListItems final : public cel::ListSource {
 public:
  ListItems(cel::Arena& arena, const Json& list, const Schema& schema) : arena_(arena), list_(list), schema_(schema) {
    for (const std::string& key : schema.map_keys) {
      const std::string escaped = cel::EscapeName(key);
      keys_.push_back(escaped.empty() ? key : escaped);
    }
  }
  size_t size() const override { return list_.size(); }
  Value Item(size_t index) const override { return ToRuleValue(arena_, list_[index], *schema_.items, false); }
  std::span<const std::string> keys() const { return keys_; }

 private:
  cel::Arena& arena_;
  const Json& list_;
  const Schema& schema_;
  std::vector<std::string> keys_;
};

Value ToList(cel::Arena& arena, const Json& value, const Schema& schema) {
  if (!value.is_list()) return Value::Error("invalid data, expected an array for the provided schema with type=array");
  if (schema.items == nullptr) return Value::Error("invalid array type, expected Items with a non-empty Schema");
  using Rule = cel::DeclaredList::Rule;
  const Rule rule = schema.list_type == Schema::ListType::kSet   ? Rule::kSet
                    : schema.list_type == Schema::ListType::kMap ? Rule::kMap
                                                                 : Rule::kAtomic;
  const auto* const items = arena.Make<ListItems>(arena, value, schema);
  return Value::Of(arena.Make<cel::DeclaredList>(arena, *items, rule, items->keys()));
}

Value ToText(cel::Arena& arena, const Json& value, const Schema& schema) {
  if (!value.is_string()) {
    return cel::Fail(arena, fmt::format("invalid data, expected string, got {}", GoTypeOf(value)));
  }
  const std::string& text = value.text();
  const std::string& format = schema.checks().format;
  if (format == "duration") {
    if (const std::optional<Duration> duration = ReadDurationFormat(text)) return Value::Duration(duration->nanos);
    return cel::Fail(arena, fmt::format("Invalid duration {0}: unable to parse {0} as duration", text));
  }
  if (format == "date" || format == "date-time") {
    const bool is_date = format == "date";
    const auto time = cel::ParseTimestamp(is_date ? text + "T00:00:00Z" : text);
    if (time) return Value::Time(*time);
    return cel::Fail(arena, fmt::format("Invalid {} formatted string {}", format, text));
  }
  if (format == "byte") {
    const Result<std::string> bytes = api::DecodeGoBase64(text);
    if (bytes) return Value::Bytes(arena.Text(*bytes));
    return cel::Fail(arena, fmt::format("Invalid byte formatted string {}: {}", text, bytes.error().message));
  }
  return Value::String(text);
}

Value ToNumber(cel::Arena& arena, const Json& value) {
  double number = 0;
  const std::string& text = value.text();
  if (!value.is_number()) {
    return cel::Fail(arena, fmt::format("invalid data, expected float, got {}", GoTypeOf(value)));
  }
  std::from_chars(text.data(), text.data() + text.size(), number);
  return Value::Double(number);
}

}  // namespace

Value ToRuleValue(cel::Arena& arena, const Json& value, const Schema& schema, bool is_resource) {
  if (value.is_null()) {
    return schema.nullable ? Value() : Value::Error("invalid data, got null for schema with nullable=false");
  }
  if (schema.is_int_or_string) {
    if (value.is_string()) return Value::String(value.text());
    if (const std::optional<int64_t> number = value.AsInt()) return Value::Int(*number);
    return Value::Error("invalid data, expected XIntOrString value to be either a string or integer");
  }
  switch (schema.type) {
    case Type::kObject:
      if (!value.is_map()) return Value::Error("invalid data, expected a map for the provided schema with type=object");
      return Value::Of(arena.Make<cel::Map>(*arena.Make<Members>(arena, value, schema, is_resource)));
    case Type::kArray: return ToList(arena, value, schema);
    case Type::kString: return ToText(arena, value, schema);
    case Type::kNumber: return ToNumber(arena, value);
    case Type::kInteger: {
      const std::optional<int64_t> number = value.AsInt();
      if (number) return Value::Int(*number);
      return cel::Fail(arena, fmt::format("invalid data, expected int, got {}", GoTypeOf(value)));
    }
    case Type::kBoolean:
      if (value.is_bool()) return Value::Bool(value.AsBool());
      return cel::Fail(arena, fmt::format("invalid data, expected bool, got {}", GoTypeOf(value)));
    case Type::kAny: break;
  }
  return Value::Error(
      "invalid type, expected object, array, number, integer, boolean or string, or no type with "
      "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true");
}

}  // namespace berth::server
