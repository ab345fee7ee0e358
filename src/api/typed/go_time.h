// SPDX-License-Identifier: Apache-2.0
// Times of objects as upstream reads them, with Go's errors.

#pragma once

#include <string_view>

#include "api/wire/timestamp.h"
#include "base/result.h"

namespace berth::api {

// Reads RFC 3339, with exactly six digits of a second if `micros` says so. An error has Go's text:
// `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`.
Result<wire::Timestamp> ParseGoTime(std::string_view text, bool micros);

}  // namespace berth::api
