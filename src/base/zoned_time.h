// SPDX-License-Identifier: Apache-2.0
// ZonedTime: an instant of the years 0 to 9999 together with the offset it was written with.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace berth {

struct ZonedTime {
  int64_t seconds = 0;  // Since the Unix epoch, in UTC.
  int64_t nanos = 0;
  int offset_seconds = 0;
};

// Reads RFC 3339 as ParseTime (base/time.h) does, which also takes what Go's parser does; nothing if it is not.
std::optional<ZonedTime> ParseZonedTime(std::string_view text);

}  // namespace berth
