// SPDX-License-Identifier: Apache-2.0
// Files that hold a secret: a key, a token.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::runtime {

// At no time can anybody but its owner read it, whatever the umask and whatever stood there before. It is there whole
// or not at all.
Result<void> WritePrivateFile(const std::string& path, std::string_view text);

}  // namespace berth::runtime
