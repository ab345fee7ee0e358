// SPDX-License-Identifier: Apache-2.0
// Library: the functions that expressions can call, each with its overloads.
//
// A library is a table of lines: function, overload, signature, implementation. Signatures are written as messages show
// them: "(int, int): int", or "string.(int): string" for a member of string. Implementations get arguments that match
// the signature, none of them an error.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cel/arena.h"
#include "cel/operations.h"
#include "cel/type.h"
#include "cel/value.h"

namespace berth::cel {

using Args = std::span<const Value>;
using Implementation = Value (*)(Arena& arena, Args args);

// One line of a library's table.
struct Declaration {
  std::string_view function;
  std::string_view id;
  std::string_view signature;
  Implementation call = nullptr;  // nullptr: the function's own, or the interpreter's.
};

struct Overload {
  std::string_view id;
  bool is_member = false;
  std::vector<const Type*> params;  // The receiver first.
  const Type* result = nullptr;
  std::vector<std::string_view> variables;  // Names of type parameters.
  Implementation call = nullptr;

  // Whether values are of the types that the overload takes, as far as a look at them tells.
  bool Accepts(std::span<const Value> args) const;
};

// A function with one implementation for all overloads, which looks at its arguments itself.
struct Operator {
  std::string_view function;
  Trait trait = Trait::kNone;  // Which the first argument must have.
  Implementation call = nullptr;
};

struct Function {
  std::string_view name;
  std::vector<Overload> overloads;
  const Operator* common = nullptr;
  bool checks_types = true;  // Before an overload is called.

  const Overload* Find(std::string_view id) const;
  size_t CountCallable() const;
};

class Library {
 public:
  // What stored expressions may use; without `includes` it is what the version before knew.
  static const Library& Get(bool has_includes);
  // The same for expressions that patch objects.
  static const Library& GetForPatches(bool has_includes);

  // nullptr if there is no such function.
  const Function* Find(std::string_view name) const;

 private:
  Library(bool has_includes, bool has_patches);
  void Add(std::span<const Declaration> declarations);
  void AddOne(const Declaration& declaration);

  TypeTable types_;
  std::unordered_map<std::string_view, Function> functions_;
};

// The tables.
std::span<const Declaration> StandardFunctions();
std::span<const Operator> StandardOperators();
std::span<const Declaration> TimeFunctions();
std::span<const Declaration> StringFunctions();
std::span<const Declaration> ListFunctions();
std::span<const Operator> ListOperators();
std::span<const Declaration> SetFunctions();
std::span<const Declaration> OptionalFunctions();
std::span<const Declaration> RegexFunctions();
std::span<const Declaration> QuantityFunctions();
std::span<const Declaration> SemverFunctions();
std::span<const Declaration> UrlFunctions();
std::span<const Declaration> NetworkFunctions();
std::span<const Declaration> FormatFunctions();
std::span<const Declaration> AuthorizationFunctions();
std::span<const Declaration> IncludesFunction();
std::span<const Declaration> PatchFunctions();

}  // namespace berth::cel
