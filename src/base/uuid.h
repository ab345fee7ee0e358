// SPDX-License-Identifier: Apache-2.0
// Random UUIDs (version 4).

#pragma once

#include <cstdint>
#include <string>

namespace berth {

// `48d6215d-c18b-4a2f-9c37-0f2a5c1e7b60`, of two random numbers.
std::string MakeUuid(uint64_t high, uint64_t low);

}  // namespace berth
