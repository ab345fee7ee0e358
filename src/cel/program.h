// SPDX-License-Identifier: Apache-2.0
// Program: a checked expression, ready to be evaluated.
//
// Conversions of constants, literals of constants and constant patterns are worked out when the program is made, as
// cel-go does it, which shows in the costs and in errors that come early.
//
// Thread: const after it was made.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "cel/arena.h"
#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/steps.h"

namespace berth::cel {

class Program {
 public:
  // An error is upstream's, without its prefix. REQUIRES: the tree was checked. Nothing of it is needed afterwards.
  static Result<Program> Make(const Ast& ast, const Environment& environment);

  // Parts of the expression have ids below this, for the cost tracker.
  int32_t id_end() const { return id_end_; }

  // The value, which may be an error. It lives as long as the arena, the program and the variables, which are those of
  // the environment. Throws Cancelled.
  Value Evaluate(Arena& arena, CostTracker& costs, std::span<const Value> variables) const;

 private:
  friend class Planner;

  Program() : arena_(std::make_unique<Arena>()) {}

  std::unique_ptr<Arena> arena_;  // Holds steps and constants.
  const Step* root_ = nullptr;
  size_t fold_depth_ = 0;
  int32_t id_end_ = 0;
};

}  // namespace berth::cel
