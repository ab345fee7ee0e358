// SPDX-License-Identifier: Apache-2.0
// WithFile: puts the name of a file in front of an error about its text.

#pragma once

#include <string>
#include <string_view>

namespace berth::runtime {

// "file: message", or "file:12: rest" for a message that begins with "line 12: ".
std::string WithFile(std::string_view file, std::string_view message);

}  // namespace berth::runtime
