// SPDX-License-Identifier: Apache-2.0
#include "cel/declared_environment.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"

namespace berth::cel {

void DeclaredEnvironment::Add(std::string_view name, const DeclaredType& type, std::string_view type_name,
                              bool is_optional) {
  variables_.push_back({std::string(name), &type, std::string(type_name), is_optional});
}

const DeclaredEnvironment::Variable* DeclaredEnvironment::Find(std::string_view name) const {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  return found == variables_.end() ? nullptr : &*found;
}

const Type* DeclaredEnvironment::VariableType(TypeTable& types, std::string_view name) const {
  const Variable* const variable = Find(name);
  if (variable == nullptr) return nullptr;
  const Type* const type = TypeOf(types, *variable->type, variable->type_name);
  return variable->is_optional ? types.Optional(type) : type;
}

size_t DeclaredEnvironment::VariablePlace(std::string_view name) const {
  const Variable* const variable = Find(name);
  BERTH_ASSERT(variable != nullptr);
  return static_cast<size_t>(variable - variables_.data());
}

const Type* DeclaredEnvironment::TypeOf(TypeTable& types, const DeclaredType& declared, const std::string& name) const {
  switch (declared.kind) {
    case TypeKind::kList: return types.List(TypeOf(types, *declared.element, name + ".@idx"));
    case TypeKind::kMap:
      return types.Map(types.Simple(TypeKind::kString), TypeOf(types, *declared.element, name + ".@elem"));
    case TypeKind::kStruct: {
      const std::string& own = declared.name.empty() ? name : declared.name;
      messages_[own] = &declared;
      return types.Get(TypeKind::kStruct, own);
    }
    default: return types.Simple(declared.kind);
  }
}

const Type* DeclaredEnvironment::FieldType(TypeTable& types, std::string_view type_name, std::string_view field) const {
  if (HasTypeName(type_name)) return MadeFieldType(types, type_name, field);
  const auto message = messages_.find(type_name);
  if (message == messages_.end()) return nullptr;
  std::string name(field);
  const DeclaredType* type = message->second->Find(name);
  if (type == nullptr && IsReservedName(name)) {
    name = fmt::format("__{}__", name);
    type = message->second->Find(name);
  }
  return type == nullptr ? nullptr : TypeOf(types, *type, fmt::format("{}.{}", type_name, name));
}

std::optional<uint64_t> DeclaredEnvironment::MaxSize(std::span<const std::string> path) const {
  const DeclaredType* at = estimate_;
  for (const std::string& part : path.subspan(1)) {
    if (at == nullptr) break;
    if (part == "@items" || part == "@values") {
      at = at->element.get();
    } else if (part == "@keys") {
      // Keys of maps are strings of which nothing is known.
      static const DeclaredType kKey(TypeKind::kString);
      at = at->kind == TypeKind::kMap ? &kKey : nullptr;
    } else {
      at = at->Find(part);
    }
  }
  return at == nullptr ? std::nullopt : std::optional(at->max_elements);
}

}  // namespace berth::cel
