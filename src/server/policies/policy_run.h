// SPDX-License-Identifier: Apache-2.0
// PolicyRun: the expressions of an admission policy, evaluated one after the other about one write.
//
// Expressions see the object as it shall be and as it was, the request, the namespace, the parameters of a binding, and
// variables, each of which is evaluated when one of them asks for it.
//
// Thread: one run's.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cel/arena.h"
#include "cel/containers.h"
#include "server/model/json.h"
#include "server/policies/policy_compiler.h"

namespace berth::server {

// What the variables of expressions are. Null where there is nothing.
struct PolicyInput {
  const Json& object;
  const Json& old;
  const Json& request;
  const Json& namespace_object;
  const Json& params;
};

// What an expression came to.
struct PolicyResult {
  bool is_there = false;  // Otherwise there was no expression.
  std::string error = {};
  cel::Value value = {};  // Lives as long as the run and the policy.

  bool is_true() const { return value.is_true(); }
  bool is_false() const { return value.is_false(); }
};

struct PolicyVariable {
  std::string name;
  PolicyExpression expression;
};

// What all expressions of a run may cost, as upstream has it.
inline constexpr int64_t kPolicyBudget = 10'000'000;
inline constexpr std::string_view kPolicyOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

// Upstream has a budget for each binding, and for the conditions of each webhook; this is for all that policies of one
// kind, or webhooks of one kind, say of one write.
inline constexpr int64_t kPoliciesSpentMax = 100'000'000;
inline constexpr std::string_view kPoliciesTooExpensive =
    "all policies together cost more than can be spent on one write";

class PolicyRun final : public cel::MapSource {
 public:
  // `spent` grows by what it costs. REQUIRES: all outlive this.
  PolicyRun(const std::vector<PolicyVariable>& variables, const PolicyInput& input, int64_t budget, int64_t& spent);

  int64_t budget() const { return budget_; }
  // False if the budget has run out.
  bool Evaluate(const PolicyExpression& expression, PolicyResult& result);

  // As the source of `variables`.
  void Fill(cel::Map& map) const override;
  bool FillOne(cel::Map& map, const cel::Value& key) const override;
  size_t size() const override { return variables_.size(); }
  cel::Value Equal(cel::Arena& /*arena*/, const cel::Map& map, const cel::Map& other) const override {
    return cel::Value::Bool(&map == &other);
  }

 private:
  cel::Value ValueOf(const PolicyVariable& variable) const;

  const std::vector<PolicyVariable>& variables_;
  int64_t budget_;
  int64_t& spent_;
  mutable cel::Arena arena_;
  std::array<cel::Value, 6> values_;
  mutable std::set<std::string, std::less<>> done_;
  mutable uint64_t cost_of_variables_ = 0;
  mutable size_t levels_ = 0;  // Of variables that are being evaluated.
};

// What the kinds of policies and webhooks have in common: the conditions under which they say anything, and variables,
// which webhooks have not.
struct PolicyScope {
  // More variables are not there for expressions.
  static constexpr size_t kVariablesMax = 500;

  // `compiler` knows the variables afterwards.
  PolicyScope(const Json& spec, PolicyCompiler& compiler);

  // Whether the conditions hold. An error that counts: nothing, and what it is. `spent` grows by what it cost.
  std::optional<bool> Matches(const PolicyInput& input, int64_t& spent, std::string& error) const;

  bool fails;  // failurePolicy Fail.
  std::vector<PolicyVariable> variables;
  std::vector<PolicyExpression> conditions;
};

}  // namespace berth::server
