// SPDX-License-Identifier: Apache-2.0
// The formats of strings that schemas may ask for.

#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace berth::server {

// The duration that upstream reads: 1h30m, but also 1 day. Nothing if there is none.
std::optional<Duration> ReadDurationFormat(std::string_view text);

// Whether the text has the format. True for formats that are not known.
bool HasTextFormat(std::string_view text, std::string_view format);

}  // namespace berth::server
