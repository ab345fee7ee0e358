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
#include "cel/made_objects.h"

namespace berth::cel {

class DeclaredEnvironment final : public Environment {
 public:
  // `makes_objects`: whether expressions may make objects (made_objects.h).
  explicit DeclaredEnvironment(const Library& functions, bool makes_objects = false)
      : Environment(functions, false), makes_objects_(makes_objects) {}

  // The variable's place is the number of those that were added before. `type` must outlive this. `type_name` is that
  // of the type, if it is an object without a name of its own.
  void Add(std::string_view name, const DeclaredType& type, std::string_view type_name, bool is_optional = false);
  // Sizes are estimated by this type, whatever variable they begin at, as upstream does it.
  void EstimateBy(const DeclaredType& type) { estimate_ = &type; }

  const Type* VariableType(TypeTable& types, std::string_view name) const override;
  size_t VariablePlace(std::string_view name) const override;
  bool IsMessage(std::string_view type_name) const override {
    return messages_.contains(type_name) || HasTypeName(type_name);
  }
  bool HasTypeName(std::string_view name) const override { return makes_objects_ && IsMadeType(name); }
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

  bool makes_objects_;
  std::vector<Variable> variables_;
  const DeclaredType* estimate_ = nullptr;
  mutable std::map<std::string, const DeclaredType*, std::less<>> messages_;  // Objects by the names of their types.
};

}  // namespace berth::cel
