// SPDX-License-Identifier: Apache-2.0
// URLs as text.

#pragma once

#include <string>
#include <string_view>

namespace berth {

// The URL with *** in place of a password, for messages and records.
std::string WithoutPassword(std::string_view url);

}  // namespace berth
