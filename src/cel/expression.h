// SPDX-License-Identifier: Apache-2.0
// Expression: an expression that was compiled in some environment, ready to be evaluated.
//
// A failure is a value: a bad expression never does more than fail with a text, which is cel-go's.
//
// Thread: const after it was compiled; any number of threads may evaluate it.
// Cost: to compile, linear in the text; an evaluation is bounded by its cost limit and its arena.

#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/arena.h"
#include "cel/environment.h"
#include "cel/program.h"
#include "cel/value.h"

namespace berth::cel {

class Expression {
 public:
  enum class Stage : uint8_t {
    kText,     // Its syntax or its types are wrong.
    kType,     // What it comes to is not wanted.
    kProgram,  // A constant part of it failed.
  };
  struct Refusal {
    Stage stage;
    std::string detail;
  };
  // Why an expression may not have a type; nothing if it may.
  using TypeRule = std::function<std::optional<std::string>(const Type* type, TypeTable& types)>;

  static std::expected<Expression, Refusal> Compile(std::string_view text, const Environment& environment,
                                                    const TypeRule& rule, bool estimates_cost);

  const std::string& result_type() const { return result_type_; }  // The static type, such as bool or list(int).
  // The worst case of one evaluation; UINT64_MAX unless it was asked for.
  uint64_t max_cost() const { return max_cost_; }
  // Whether any name in it is this one.
  bool Refers(std::string_view name) const;

  struct Outcome {
    Value value;  // An error if there is one.
    uint64_t cost = 0;
  };
  // The value lives as long as the arena, this and the variables, which are those of the environment.
  Outcome Evaluate(Arena& arena, std::span<const Value> variables, uint64_t cost_limit) const;

 private:
  explicit Expression(Program program) : program_(std::move(program)) {}

  Program program_;
  std::string result_type_;
  uint64_t max_cost_ = UINT64_MAX;
  std::vector<std::string> names_;  // Sorted.
};

}  // namespace berth::cel
