// SPDX-License-Identifier: Apache-2.0
// Bytes of objects as upstream reads them, with Go's errors.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::api {

// Line ends are skipped. An error has Go's text: `illegal base64 data at input byte 3`.
Result<std::string> DecodeGoBase64(std::string_view text);

}  // namespace berth::api
