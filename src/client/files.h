// SPDX-License-Identifier: Apache-2.0
// Small files: certificates, tokens, kubeconfigs.

#pragma once

#include <string>

#include "base/result.h"

namespace berth::client {

// The whole file. Errors read as Go's: "open PATH: no such file or directory".
Result<std::string> ReadFile(const std::string& path);

}  // namespace berth::client
