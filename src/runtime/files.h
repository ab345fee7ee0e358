// SPDX-License-Identifier: Apache-2.0
// Files that are read as a whole: certificates, tokens, kubeconfigs.

#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace berth::runtime {

// The whole file, unless it is larger than that. Errors read as Go's: "open PATH: no such file or directory".
Result<std::string> ReadFile(const std::string& path, size_t size_max = size_t{1} << 26);

}  // namespace berth::runtime
