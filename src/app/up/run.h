// SPDX-License-Identifier: Apache-2.0
// RunUp: `berth up` from its options to its exit code.

#pragma once

#include "app/up/options.h"

namespace berth::up {

int RunUp(Options options);

}  // namespace berth::up
