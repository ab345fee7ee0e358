// SPDX-License-Identifier: Apache-2.0
// A file that is written for its owner alone.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::up {

// Only its owner can read it. It is there whole or not at all.
Result<void> WritePrivateFile(const std::string& path, std::string_view text);

}  // namespace berth::up
