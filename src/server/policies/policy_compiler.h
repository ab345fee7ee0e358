// SPDX-License-Identifier: Apache-2.0
// PolicyCompiler: compiles the expressions of admission policies.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cel/declared_type.h"
#include "cel/expression.h"

namespace berth::server {

// What the type of an expression shall be; several: one of them. None: anything.
using WantedTypes = std::vector<cel::TypeKind>;

struct PolicyExpression {
  std::string text;
  std::optional<cel::Expression> program;
  std::string error;  // Why there is no program; empty with neither: there is no expression.
  bool is_internal = false;
};

// Compiles expressions that may refer to each other through `variables`.
class PolicyCompiler {
 public:
  // `knows_variables`: whether there are any. `has_params`: whether there is `params`.
  PolicyCompiler(bool knows_variables, bool has_params);

  // `is_stored`: it may use all that is known, otherwise what the version before this one knew too.
  PolicyExpression Compile(const std::string& text, const WantedTypes& wanted, bool is_stored);
  // The same, and its type is that of the variable from then on.
  PolicyExpression CompileVariable(const std::string& name, const std::string& text, bool is_stored);
  // One that comes to an object, or to a list of patches, of cel/made_objects.h.
  PolicyExpression CompileMutation(const std::string& text, bool is_patch, bool is_stored);

 private:
  bool knows_variables_;
  bool has_params_;
  cel::DeclaredType variables_;

  PolicyExpression CompileBy(const std::string& text, const cel::Expression::TypeRule& rule, bool is_stored,
                             bool makes_objects = false);
};

}  // namespace berth::server
