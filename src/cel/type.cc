// SPDX-License-Identifier: Apache-2.0
#include "cel/type.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/assert.h"

namespace berth::cel {
namespace {

struct SimpleType {
  std::string_view declared;  // In declarations.
  TypeKind kind;
  std::string_view name;
};

constexpr SimpleType kSimpleTypes[] = {
    {"any", TypeKind::kAny, "google.protobuf.Any"},
    {"bool", TypeKind::kBool, "bool"},
    {"bytes", TypeKind::kBytes, "bytes"},
    {"double", TypeKind::kDouble, "double"},
    {"duration", TypeKind::kDuration, "google.protobuf.Duration"},
    {"dyn", TypeKind::kDyn, "dyn"},
    {"error", TypeKind::kError, "error"},
    {"int", TypeKind::kInt, "int"},
    {"null_type", TypeKind::kNull, "null_type"},
    {"string", TypeKind::kString, "string"},
    {"timestamp", TypeKind::kTimestamp, "google.protobuf.Timestamp"},
    {"uint", TypeKind::kUint, "uint"},
};

constexpr SimpleType kNamedTypes[] = {
    {"cidr", TypeKind::kOpaque, "net.CIDR"},
    {"ip", TypeKind::kOpaque, "net.IP"},
    {"format", TypeKind::kStruct, "kubernetes.NamedFormat"},
    {"quantity", TypeKind::kStruct, "kubernetes.Quantity"},
    {"semver", TypeKind::kStruct, "kubernetes.Semver"},
    {"url", TypeKind::kStruct, "kubernetes.URL"},
    {"authorizer", TypeKind::kStruct, "kubernetes.authorization.Authorizer"},
    {"decision", TypeKind::kStruct, "kubernetes.authorization.Decision"},
    {"groupcheck", TypeKind::kStruct, "kubernetes.authorization.GroupCheck"},
    {"pathcheck", TypeKind::kStruct, "kubernetes.authorization.PathCheck"},
    {"resourcecheck", TypeKind::kStruct, "kubernetes.authorization.ResourceCheck"},
};

// Types share their parts, so that a small type can be a very long text.
constexpr size_t kTextMax = 4096;

void AppendType(const Type* type, bool for_messages, std::string& out) {
  if (out.size() > kTextMax) return;
  if (for_messages) {
    switch (type->kind) {
      case TypeKind::kAny: out += "any"; return;
      case TypeKind::kDuration: out += "duration"; return;
      case TypeKind::kTimestamp: out += "timestamp"; return;
      case TypeKind::kError: out += "!error!"; return;
      case TypeKind::kNull: out += "null"; return;
      default: break;
    }
  } else if (type->Is(TypeKind::kParam)) {
    out += "<" + type->name + ">";
    return;
  }
  out += type->name;
  if (type->params.empty()) return;
  out += '(';
  for (size_t i = 0; i < type->params.size(); ++i) {
    if (i > 0) out += ", ";
    AppendType(type->params[i], for_messages, out);
  }
  out += ')';
}

std::string ToText(const Type* type, bool for_messages) {
  std::string text;
  AppendType(type, for_messages, text);
  if (text.size() > kTextMax) text = text.substr(0, kTextMax) + "...";
  return text;
}

}  // namespace

const Type* TypeTable::Get(TypeKind kind, std::string_view name, std::vector<const Type*> params) {
  const auto [it, is_new] = index_.try_emplace(Key(kind, name, params), nullptr);
  if (is_new) {
    Type& type = types_.emplace_back();
    type.kind = kind;
    type.name = name;
    type.has_variables =
        kind == TypeKind::kParam || std::ranges::any_of(params, [](const Type* param) { return param->has_variables; });
    type.params = std::move(params);
    it->second = &type;
  }
  return it->second;
}

const Type* TypeTable::Simple(TypeKind kind) {
  const auto it = std::ranges::find(kSimpleTypes, kind, &SimpleType::kind);
  BERTH_ASSERT(it != std::end(kSimpleTypes));
  return Get(kind, it->name);
}

const Type* TypeTable::Read(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && (IsAlphanumeric(text[end]) || text[end] == '_')) ++end;
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  if (name.size() == 1) return Param(name);
  for (const SimpleType& simple : kSimpleTypes) {
    if (simple.declared == name) return Get(simple.kind, simple.name);
  }
  for (const SimpleType& named : kNamedTypes) {
    if (named.declared == name) return Get(named.kind, named.name);
  }
  std::vector<const Type*> params;
  if (text.starts_with('(')) {
    do {
      text.remove_prefix(text.starts_with(", ") ? 2 : 1);
      params.push_back(Read(text));
    } while (text.starts_with(','));
    text.remove_prefix(1);
  }
  if (name == "list") return Get(TypeKind::kList, "list", std::move(params));
  if (name == "map") return Get(TypeKind::kMap, "map", std::move(params));
  if (name == "optional") return Get(TypeKind::kOpaque, "optional_type", std::move(params));
  BERTH_ASSERT(name == "type");
  return Get(TypeKind::kType, "type", std::move(params));
}

std::string FormatType(const Type* type) { return ToText(type, true); }
std::string TypeToString(const Type* type) { return ToText(type, false); }

}  // namespace berth::cel
