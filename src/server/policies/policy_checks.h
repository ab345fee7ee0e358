// SPDX-License-Identifier: Apache-2.0
// What the kinds of admission policies have in common: defaults and checks of what they match, and of their
// expressions.

#pragma once

#include <string>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"
#include "server/policies/condition_checks.h"
#include "server/policies/policy_compiler.h"

namespace berth::server {

void DefaultPolicy(Json& policy);
void DefaultBinding(Json& binding);

// What happens when a policy fails, the kind of its parameters, and its constraints, which must have rules.
void CheckPolicySpec(const Json& spec, FieldErrors& errors);
// The policy and the parameters that a binding names, and what it matches.
void CheckBinding(const Json& spec, FieldErrors& errors);

// The expressions of one policy, in the order in which they may refer to each other.
class PolicyCheck {
 public:
  // `old`: the policy as it was, whose expressions may use all that is known; null: none.
  PolicyCheck(const Json& policy, const Json* old, FieldErrors& errors);

  // False, with an error, if the expressions are too long together, or there are too many variables.
  bool IsBounded() const;
  void CheckMatchConditions(const FieldPath& path);
  void CheckVariables(const FieldPath& path);

  PolicyCompiler& compiler() { return compiler_; }
  bool IsKnown(const std::string& text) const { return known_.contains(text); }
  // Reports what is wrong with an expression.
  void Add(const PolicyExpression& compiled, const FieldPath& path) { CheckExpression(compiled, path, errors_); }
  FieldErrors& errors() { return errors_; }

 private:
  const Json& policy_;
  const Json& spec_;
  const Json* old_;
  ExpressionTexts known_;
  PolicyCompiler compiler_;
  FieldErrors& errors_;
};

}  // namespace berth::server
