// SPDX-License-Identifier: Apache-2.0
// Validate: what is wrong with an expression although its types are right.
//
// Literals that name durations, times and regular expressions must be such; format strings must fit their arguments;
// elements of list and map literals must be of one type.

#pragma once

#include "cel/ast.h"
#include "cel/source.h"

namespace berth::cel {

// REQUIRES: the tree was checked.
void Validate(Ast& ast, Issues& issues);

}  // namespace berth::cel
