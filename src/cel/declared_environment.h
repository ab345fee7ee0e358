// SPDX-License-Identifier: Apache-2.0
// DeclaredEnvironment: variables of declared types, such as `self` of the rules of custom resources.
//
// Thread: one at a time, also for what is const: names of types are noted as they come up.

#pragma once

#include <functional>
#include <map>
#include <vector>

#include "cel/declared_type.h"
#include "cel/environment.h"

namespace berth::cel {

class DeclaredEnvironment final : public Environment {
 public:
  explicit DeclaredEnvironment(const Library& functions) : Environment(functions, false) {}

  // The variable's place is the number of those that were added before. `type` must outlive this. `type_name` is that
  // of the type, if it is an object without a name of its own.
  void Add(std::string_view name, const DeclaredType& type, std::string_view type_name, bool is_optional = false);
  // Sizes are estimated by this type, whatever variable they begin at, as upstream does it.
  void EstimateBy(const DeclaredType& type) { estimate_ = &type; }

  const Type* VariableType(TypeTable& types, std::string_view name) const override;
  size_t VariablePlace(std::string_view name) const override;
  bool IsMessage(std::string_view type_name) const override { return messages_.contains(type_name); }
  const Type* FieldType(TypeTable& types, std::string_view type_name, std::string_view field) const override;
  std::optional<uint64_t> MaxSize(std::span<const std::string> path) const override;

 private:
  struct Variable {
    std::string name;
    const DeclaredType* type;
    std::string type_name;
    bool is_optional;
  };

  const Variable* Find(std::string_view name) const;
  const Type* TypeOf(TypeTable& types, const DeclaredType& declared, const std::string& name) const;

  std::vector<Variable> variables_;
  const DeclaredType* estimate_ = nullptr;
  mutable std::map<std::string, const DeclaredType*, std::less<>> messages_;  // Objects by the names of their types.
};

}  // namespace berth::cel
