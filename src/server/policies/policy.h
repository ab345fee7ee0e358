// SPDX-License-Identifier: Apache-2.0
// Policy: the expressions of a ValidatingAdmissionPolicy, compiled.
//
// Thread: const after it was made.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "server/model/json.h"
#include "server/policies/policy_run.h"

namespace berth::server {

class Policy {
 public:
  explicit Policy(const Json& policy);

  struct Verdict {
    bool denies = false;
    std::string message = {};
    std::string reason = {};  // Empty: Invalid.
  };
  // What each validation says of it; nothing if the match conditions do not hold. `spent` grows by what it cost.
  std::vector<Verdict> Judge(const PolicyInput& input, int64_t& spent) const;

 private:
  struct Validation {
    PolicyExpression expression;
    PolicyExpression message_expression;
    std::string message;
    std::string reason;
  };

  Policy(const Json& spec, PolicyCompiler compiler);
  Verdict ForError(std::string message) const { return {.denies = scope_.fails, .message = std::move(message)}; }
  Verdict JudgeBy(const Validation& validation, const PolicyResult& result, const PolicyResult* message,
                  const std::string& failure) const;

  PolicyScope scope_;
  std::vector<Validation> validations_;
  std::vector<PolicyExpression> annotations_;
};

}  // namespace berth::server
