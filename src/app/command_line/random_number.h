// SPDX-License-Identifier: Apache-2.0
// RandomNumber: from the system; for seeds and identities.

#pragma once

#include <cstdint>

namespace berth::app {

uint64_t RandomNumber();

}  // namespace berth::app
