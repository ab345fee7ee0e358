// SPDX-License-Identifier: Apache-2.0
// The releases whose plugins are kept here.

#pragma once

#include <cstdint>

namespace berth::plugins::legacy {

enum class Release : uint8_t { kV121, kV122 };

}  // namespace berth::plugins::legacy
