// SPDX-License-Identifier: Apache-2.0
// EstimateCost: the most that an evaluation of an expression can cost, whatever the variables are.
//
// The API server refuses expressions by it; the rules are cel-go's and those of Kubernetes' CostEstimator.

#pragma once

#include <cstdint>

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/type.h"

namespace berth::cel {

// REQUIRES: the tree was checked.
uint64_t EstimateCost(const Ast& ast, const Environment& environment);

}  // namespace berth::cel
