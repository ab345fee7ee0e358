// SPDX-License-Identifier: Apache-2.0
// Policy: the expressions of a ValidatingAdmissionPolicy, compiled.
//
// Expressions see the object as it shall be and as it was, the request, the namespace, the parameters of a binding, and
// variables, each of which is evaluated when one of them asks for it.
//
// Thread: const after it was made.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/declared_type.h"
#include "cel/expression.h"
#include "server/model/json.h"

namespace berth::server {

std::string_view WithoutSpaces(std::string_view text);  // At its ends.

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

 private:
  bool knows_variables_;
  bool has_params_;
  cel::DeclaredType variables_;

  PolicyExpression CompileBy(const std::string& text, const cel::Expression::TypeRule& rule, bool is_stored);
};

// What an expression came to; see policy.cc.
struct PolicyResult;

// What the variables of expressions are. Null where there is nothing.
struct PolicyInput {
  const Json& object;
  const Json& old;
  const Json& request;
  const Json& namespace_object;
  const Json& params;
};

class Policy {
 public:
  // More of them are not there for expressions.
  static constexpr size_t kVariablesMax = 500;

  // `spec`: of a ValidatingAdmissionPolicy, or a webhook, which has match conditions alone.
  explicit Policy(const Json& spec);

  // Whether the match conditions hold; nothing, and why, if that cannot be said. `spent` grows by what it cost.
  std::optional<bool> Matches(const PolicyInput& input, int64_t& spent, std::string& error) const;

  struct Verdict {
    bool denies = false;
    std::string message = {};
    std::string reason = {};  // Empty: Invalid.
  };
  // What each validation says of it; nothing if the match conditions do not hold. `spent` grows by what it cost.
  std::vector<Verdict> Judge(const PolicyInput& input, int64_t& spent) const;

 private:
  class Run;

  struct Variable {
    std::string name;
    PolicyExpression expression;
  };
  struct Validation {
    PolicyExpression expression;
    PolicyExpression message_expression;
    std::string message;
    std::string reason;
  };

  Verdict ForError(std::string message) const { return {.denies = fails_, .message = std::move(message)}; }
  Verdict JudgeBy(const Validation& validation, const PolicyResult& result, const PolicyResult* message,
                  const std::string& failure) const;

  bool fails_;  // failurePolicy Fail.
  std::vector<Variable> variables_;
  std::vector<PolicyExpression> conditions_;
  std::vector<Validation> validations_;
  std::vector<PolicyExpression> annotations_;
};

}  // namespace berth::server
