// SPDX-License-Identifier: Apache-2.0
// Time zones by name, without files: the rules in force are in a table.
//
// Only the present rules are known (tzdata's last line of each zone), so that a time of long ago may come out with
// another offset than it had then.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace berth::cel {

// Seconds east of UTC at an instant, or nothing for an unknown zone. The empty name, UTC and Local are UTC.
std::optional<int> ZoneOffset(std::string_view zone, int64_t seconds);

}  // namespace berth::cel
