// SPDX-License-Identifier: Apache-2.0
// Environment: what an expression may refer to: functions, variables, and the fields of their types.
//
// Each place where Kubernetes takes expressions has its own: those about devices (device_environment.h), and those
// whose variables are of declared types (declared_environment.h).

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/library.h"
#include "cel/type.h"

namespace berth::cel {

class Environment {
 public:
  // `takes_bindings`: whether there is cel.bind().
  Environment(const Library& functions, bool takes_bindings) : library(&functions), has_bindings(takes_bindings) {}
  virtual ~Environment() = default;

  // nullptr if there is no such variable.
  virtual const Type* VariableType(TypeTable& types, std::string_view name) const = 0;
  // Where the variable's value is among those that an evaluation is given. REQUIRES: there is such a variable.
  virtual size_t VariablePlace(std::string_view name) const = 0;

  // Whether the fields of the type are known.
  virtual bool IsMessage(std::string_view type_name) const = 0;
  // Whether an expression may call such a type by its name.
  virtual bool HasTypeName(std::string_view /*name*/) const { return false; }
  // nullptr if there is no such field.
  virtual const Type* FieldType(TypeTable& types, std::string_view type_name, std::string_view field) const = 0;

  // The largest size of what is reached from a variable, such as device, attributes, @values; nothing if it is not
  // known.
  virtual std::optional<uint64_t> MaxSize(std::span<const std::string> path) const = 0;

  const Library* library;
  bool has_bindings;
};

}  // namespace berth::cel
