// SPDX-License-Identifier: Apache-2.0
// Timestamp: an instant as protobuf carries it, and its text in JSON.
//
// It reaches from the year 0 to 9999, farther than berth::Time, so that no object changes on its way through the codec.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::api::wire {

struct Timestamp {
  int64_t seconds = 0;  // Since 1970.
  int32_t nanos = 0;    // 0 to 999999999.

  bool operator==(const Timestamp&) const = default;
};

// What an unset time is: the first second of the year 1.
inline constexpr Timestamp kZeroTime{.seconds = -62'135'596'800, .nanos = 0};

// RFC 3339 in UTC with whole seconds, or with microseconds. Empty beyond the years 0 to 9999.
std::string FormatTimestamp(Timestamp timestamp, bool micros);

// Reads RFC 3339 with any offset. Digits beyond nanoseconds are cut off.
std::optional<Timestamp> ParseTimestamp(std::string_view text);

}  // namespace berth::api::wire
