// SPDX-License-Identifier: Apache-2.0
// What `berth up` needs of its surroundings: files and randomness.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::up {

// Errors name the file.
Result<std::string> ReadFile(const std::string& path);
// Only its owner can read it. It is there whole or not at all.
Result<void> WritePrivateFile(const std::string& path, std::string_view text);

uint64_t RandomNumber();

}  // namespace berth::up
