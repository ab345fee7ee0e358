// SPDX-License-Identifier: Apache-2.0
// Rules: the x-kubernetes-validations of a schema, compiled.
//
// The rules of each part of the schema see the value of that part as `self`, and the value that was there before as
// `oldSelf`. They are compiled once for a schema and evaluated for each object, within a budget of costs that one
// object has for all of them. Where a value is as it was, a rule that fails is no more than a warning.
//
// Thread: any; constant once they are made.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/declared_type.h"
#include "cel/expression.h"
#include "server/custom/schema.h"
#include "server/model/field_errors.h"
#include "server/model/json.h"

namespace berth::server {

// One rule, or why it could not be compiled.
struct CompiledRule {
  const SchemaRule* source = nullptr;
  std::optional<cel::Expression> rule;     // None: an empty one, or one with an error.
  std::optional<cel::Expression> message;  // What messageExpression says.
  std::string error;
  std::string message_error;
  std::string path;  // Of its failures, relative to the value.
  bool uses_old = false;
};

// Which rules and messages were there before: these may use all that is known, others only what the version before this
// one knew too.
struct KnownExpressions {
  std::vector<std::string_view> rules;     // Sorted.
  std::vector<std::string_view> messages;  // Sorted.
};

// The rules of one part of a schema. `type` is that of its values. `known` null: all are stored already.
std::vector<CompiledRule> CompileRules(const Schema& schema, const cel::DeclaredType& type,
                                       const KnownExpressions* known, bool estimates_cost);

class Rules {
 public:
  static constexpr int64_t kBudget = 10'000'000;  // Of one object.

  // The rules of the schema and all of its parts; it must outlive them. Null if it has none.
  static std::unique_ptr<const Rules> Make(const Schema& schema, bool is_resource);

  // What is wrong with the value by the rules. `old` is null if there is none; `ratchets`: what stays as it was is let
  // through, otherwise not. Returns what is left of the budget, or a negative number if nothing more is to be checked.
  int64_t Check(const Json& value, const Json* old, bool ratchets, const std::string& path, int64_t budget,
                FieldErrors& errors) const;

 private:
  class Run;

  const Schema* schema_ = nullptr;
  bool is_resource_ = false;
  bool uses_old_ = false;  // Any rule of this part.
  std::vector<CompiledRule> rules_;
  std::map<std::string, std::unique_ptr<const Rules>, std::less<>> properties_;
  std::unique_ptr<const Rules> additional_;
  std::unique_ptr<const Rules> items_;

  static std::unique_ptr<const Rules> Make(const Schema& schema, bool is_resource, const cel::DeclaredType* type);
};

}  // namespace berth::server
