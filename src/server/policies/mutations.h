// SPDX-License-Identifier: Apache-2.0
// Mutations: the expressions of a MutatingAdmissionPolicy, compiled.
//
// Thread: const after it was made.

#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "server/model/json.h"
#include "server/model/object_schema.h"
#include "server/policies/policy_run.h"

namespace berth::server {

class Mutations {
 public:
  explicit Mutations(const Json& policy);

  size_t size() const { return mutations_.size(); }
  // Whether it is asked again when others have changed the object after it.
  bool is_repeated() const { return is_repeated_; }

  // Whether the match conditions hold. Nothing, and why, if that cannot be said and counts. `spent` grows by the cost.
  std::optional<bool> Matches(const PolicyInput& input, int64_t& spent, std::string& error) const {
    return scope_.Matches(input, spent, error);
  }
  // The object after one of the mutations, in canonical form.
  std::expected<Json, std::string> Apply(size_t index, const PolicyInput& input, const ObjectSchema& schema,
                                         int64_t& spent) const;

 private:
  struct Mutation {
    PolicyExpression expression;
    bool is_patch = false;  // Otherwise a configuration.
  };

  Mutations(const Json& spec, PolicyCompiler compiler);

  PolicyScope scope_;
  std::vector<Mutation> mutations_;
  bool is_repeated_;
};

}  // namespace berth::server
