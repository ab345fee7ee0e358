// SPDX-License-Identifier: Apache-2.0
// Trees as expressions see them that know nothing of their types.

#pragma once

#include "cel/arena.h"
#include "cel/value.h"
#include "server/model/json.h"

namespace berth::server {

// The value lives as long as the arena and the tree. Members and items are converted when an expression looks at them.
cel::Value ToDynamicValue(cel::Arena& arena, const Json& tree);

}  // namespace berth::server
