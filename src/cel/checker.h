// SPDX-License-Identifier: Apache-2.0
// Check: finds the type of every part of an expression, and which overloads its calls mean.
//
// Rules and texts are cel-go's.

#pragma once

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/source.h"
#include "cel/type.h"

namespace berth::cel {

// Fills in types, overloads and references of the tree, or reports what is wrong.
void Check(Ast& ast, const Environment& environment, TypeTable& types, Issues& issues);

// Whether a name is that of a type that is a value too, such as int or net.IP.
bool IsTypeValue(std::string_view name);

}  // namespace berth::cel
