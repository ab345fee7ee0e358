// SPDX-License-Identifier: Apache-2.0
// The types of what the expressions of policies may refer to.

#pragma once

#include "cel/declared_type.h"
#include "cel/type.h"

namespace berth::server {

const cel::DeclaredType& DynamicType();
const cel::DeclaredType& RequestType();    // Of `request`.
const cel::DeclaredType& NamespaceType();  // Of `namespaceObject`.

// The type of a variable whose expression has this one.
cel::DeclaredType DeclareTypeOf(const cel::Type& type);

}  // namespace berth::server
