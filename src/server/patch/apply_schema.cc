// SPDX-License-Identifier: Apache-2.0
#include "server/patch/apply_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "api/document/json_writer.h"
#include "server/patch/go_json.h"

namespace berth::server {
namespace {

namespace wire = api::wire;
using Kind = ApplyType::Kind;

const Json kNull;
const Json kEmptyText = Json::String("");
const Json kEmptyMap = Json::MakeMap();
const Json kZero = Json::Int(0);
const Json kFalse = Json::Bool(false);
const Json kZeroQuantity = Json::String("0");
const Json kTcp = Json::String("TCP");

bool IsStruct(const wire::Field& field) {
  return field.shape == wire::Shape::kSingle && field.type == wire::Type::kMessage && !field.Has(wire::kPointer) &&
         wire::MessageAt(field.message).form != wire::Form::kStrings;
}

const Json* ZeroOf(const wire::Field& field) {
  // Go's omitempty never leaves out a struct.
  if (field.Has(wire::kOmitZero) || (field.Has(wire::kOmitEmpty) && !IsStruct(field))) return nullptr;
  if (field.Has(wire::kPointer) || field.shape != wire::Shape::kSingle) return &kNull;
  switch (field.type) {
    case wire::Type::kString: return &kEmptyText;
    case wire::Type::kBytes: return &kNull;
    case wire::Type::kBool: return &kFalse;
    case wire::Type::kInt32:
    case wire::Type::kInt64: return &kZero;
    case wire::Type::kMessage: break;
  }
  switch (wire::MessageAt(field.message).form) {
    case wire::Form::kStruct: return &kEmptyMap;
    case wire::Form::kQuantity: return &kZeroQuantity;
    case wire::Form::kIntOrString: return &kZero;
    default: return &kNull;
  }
}

class Types {
 public:
  Types() {
    for (const wire::Kind& kind : wire::Kinds()) {
      // Scales are no resources, but subresources to which configurations are applied.
      if (!kind.plural.empty() || kind.kind == "Scale") StructOf(wire::MessageAt(kind.message), false);
    }
  }

  const ApplyType& Get(const wire::Message& message) const { return *structs_.at({&message, false}); }

 private:
  struct Key {
    const wire::Message* message;
    bool is_atomic;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.message) + static_cast<size_t>(key.is_atomic);
    }
  };

  const ApplyType* Make(ApplyType type) { return &types_.emplace_back(std::move(type)); }

  const ApplyType* StructOf(const wire::Message& message, bool is_atomic) {
    const auto [place, is_new] = structs_.emplace(Key{&message, is_atomic}, nullptr);
    if (!is_new) return place->second;
    ApplyType& type = types_.emplace_back();
    place->second = &type;
    type.kind = Kind::kStruct;
    type.is_atomic = is_atomic;
    AddFields(type, message);
    std::ranges::sort(type.fields, {}, &ApplyField::element);
    return &type;
  }

  void AddFields(ApplyType& type, const wire::Message& message) {
    for (const wire::Field& field : message.fields()) {
      if (field.Has(wire::kInline)) {
        AddFields(type, wire::MessageAt(field.message));
      } else {
        type.fields.push_back({fmt::format("f:{}", field.name()), TypeOf(field), ZeroOf(field)});
      }
    }
  }

  // Of one value, without the list or map around it.
  const ApplyType* ValueOf(const wire::Field& field, bool is_atomic) {
    switch (field.type) {
      case wire::Type::kString:
      case wire::Type::kBytes: return &text_;
      case wire::Type::kBool: return &bool_;
      case wire::Type::kInt32:
      case wire::Type::kInt64: return &number_;
      case wire::Type::kMessage: break;
    }
    const wire::Message& message = wire::MessageAt(field.message);
    switch (message.form) {
      case wire::Form::kStruct: return StructOf(message, is_atomic || message.atomic);
      case wire::Form::kSchema:
      case wire::Form::kRaw: return &any_;
      case wire::Form::kStrings: return &texts_;
      default: return &scalar_;
    }
  }

  const ApplyType* TypeOf(const wire::Field& field) {
    const bool is_atomic = field.Has(wire::kAtomic);
    if (field.shape == wire::Shape::kSingle) {
      // The only field that is owned by parts although its type is atomic: that of a persistent volume.
      if (field.name() == "claimRef") return StructOf(wire::MessageAt(field.message), false);
      return ValueOf(field, is_atomic);
    }
    ApplyType type;
    type.item = ValueOf(field, false);
    if (field.shape == wire::Shape::kMap) {
      type.kind = Kind::kMap;
      type.is_atomic = is_atomic;
      return Make(std::move(type));
    }
    type.kind = Kind::kList;
    type.is_atomic = !field.Has(wire::kListMap) && !field.Has(wire::kListSet);
    if (field.Has(wire::kListMap)) type.keys = KeysOf(field, *type.item);
    return Make(std::move(type));
  }

  static std::vector<ApplyKey> KeysOf(const wire::Field& list, const ApplyType& item) {
    std::vector<ApplyKey> keys;
    const std::string_view message = wire::MessageAt(list.message).name;
    for (std::string_view rest = list.keys().list; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      keys.push_back({name, StandardOf(message, *item.Find(name))});
    }
    std::ranges::sort(keys, {}, &ApplyKey::name);
    return keys;
  }

  static const Json* StandardOf(std::string_view message, const ApplyField& key) {
    // The only marked defaults among keys.
    if (key.name() == "protocol" && message.ends_with("Port")) return &kTcp;
    if (key.name() == "name" && message.ends_with(".LocalObjectReference")) return &kEmptyText;
    return key.zero == &kNull ? nullptr : key.zero;
  }

  std::deque<ApplyType> types_;
  std::unordered_map<Key, const ApplyType*, KeyHash> structs_;
  const ApplyType text_{.kind = Kind::kString};
  const ApplyType number_{.kind = Kind::kNumber};
  const ApplyType bool_{.kind = Kind::kBool};
  const ApplyType scalar_{.kind = Kind::kScalar};
  const ApplyType any_{.kind = Kind::kAny};
  const ApplyType texts_{.kind = Kind::kList, .is_atomic = true, .item = &text_};
};

}  // namespace

const ApplyField* ApplyType::Find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(fields, name, {}, &ApplyField::name);
  return found != fields.end() && found->name() == name ? &*found : nullptr;
}

const ApplyType& ApplyTypeOf(const api::wire::Message& message) {
  static const Types types;
  return types.Get(message);
}

std::string ItemElement(const ApplyType& list, const Json& item) {
  std::string element;
  if (list.keys.empty()) {
    if (item.is_null() || item.is_map() || item.is_list()) return element;
    element = "v:";
    AppendGoJson(element, item);
    return element;
  }
  if (!item.is_map()) return element;
  for (const ApplyKey& key : list.keys) {
    const Json* value = item.Find(key.name);
    if (value == nullptr) value = key.standard;
    if (value == nullptr) continue;
    element += element.empty() ? "k:{" : ",";
    api::AppendQuoted(element, key.name);
    element += ':';
    AppendGoJson(element, *value);
  }
  if (!element.empty()) element += '}';
  return element;
}

}  // namespace berth::server
