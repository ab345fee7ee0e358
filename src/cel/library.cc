// SPDX-License-Identifier: Apache-2.0
#include "cel/library.h"

#include <algorithm>

#include "base/assert.h"
#include "cel/containers.h"

namespace berth::cel {
namespace {

void CollectVariables(const Type* type, std::vector<std::string_view>& names) {
  if (type->Is(TypeKind::kParam) && std::ranges::find(names, type->name) == names.end()) names.push_back(type->name);
  for (const Type* param : type->params) CollectVariables(param, names);
}

// Of lists and maps only the first element is looked at.
bool IsOfType(const Type* type, const Value& value) {
  if (type->is_dyn() || type->Is(TypeKind::kParam)) return true;
  if (type->name != TypeName(value)) return false;
  if (type->Is(TypeKind::kList)) {
    const List& list = value.list();
    return list.size() == 0 || IsOfType(type->params[0], list.at(0));
  }
  if (type->Is(TypeKind::kMap)) {
    const std::span<const Map::Entry> entries = value.map().entries();
    return entries.empty() ||
           (IsOfType(type->params[0], entries[0].key) && IsOfType(type->params[1], entries[0].value));
  }
  return true;
}

Overload ReadSignature(const Declaration& declaration, TypeTable& types) {
  Overload overload;
  overload.id = declaration.id;
  overload.call = declaration.call;
  std::string_view text = declaration.signature;
  overload.is_member = !text.starts_with('(');
  if (overload.is_member) {
    overload.params.push_back(types.Read(text));
    text.remove_prefix(1);
  }
  text.remove_prefix(1);
  while (!text.starts_with(')')) {
    overload.params.push_back(types.Read(text));
    if (text.starts_with(", ")) text.remove_prefix(2);
  }
  text.remove_prefix(std::string_view("): ").size());
  overload.result = types.Read(text);
  CollectVariables(overload.result, overload.variables);
  for (const Type* param : overload.params) CollectVariables(param, overload.variables);
  return overload;
}

}  // namespace

bool Overload::Accepts(std::span<const Value> args) const {
  return std::ranges::equal(params, args, [](const Type* type, const Value& value) { return IsOfType(type, value); });
}

const Overload* Function::Find(std::string_view id) const {
  const auto it = std::ranges::find(overloads, id, &Overload::id);
  return it == overloads.end() ? nullptr : &*it;
}

size_t Function::CountCallable() const {
  return static_cast<size_t>(std::ranges::count_if(overloads, [](const Overload& o) { return o.call != nullptr; }));
}

const Library& Library::Get(bool has_includes) {
  static const Library with(true, false);
  static const Library without(false, false);
  return has_includes ? with : without;
}

const Library& Library::GetForPatches(bool has_includes) {
  static const Library with(true, true);
  static const Library without(false, true);
  return has_includes ? with : without;
}

const Function* Library::Find(std::string_view name) const {
  const auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : &it->second;
}

Library::Library(bool has_includes, bool has_patches) {
  for (const auto table : {StandardFunctions(), TimeFunctions(), UrlFunctions(), RegexFunctions(),
                           AuthorizationFunctions(), OptionalFunctions(), QuantityFunctions(), StringFunctions(),
                           SetFunctions(), NetworkFunctions(), FormatFunctions(), SemverFunctions(), ListFunctions()}) {
    Add(table);
  }
  if (has_includes) Add(IncludesFunction());
  if (has_patches) Add(PatchFunctions());
  for (const auto table : {StandardOperators(), ListOperators()}) {
    for (const Operator& common : table) functions_.at(common.function).common = &common;
  }
  for (const std::string_view name : {"contains", "startsWith", "endsWith", "flatten"}) {
    functions_.at(name).checks_types = false;
  }
}

void Library::Add(std::span<const Declaration> declarations) {
  for (const Declaration& declaration : declarations) AddOne(declaration);
}

void Library::AddOne(const Declaration& declaration) {
  Function& function = functions_[declaration.function];
  function.name = declaration.function;
  function.overloads.push_back(ReadSignature(declaration, types_));
}

}  // namespace berth::cel
