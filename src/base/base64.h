// SPDX-License-Identifier: Apache-2.0
// Base64 with the standard alphabet and padding, as JSON carries bytes.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth {

std::string EncodeBase64(std::string_view bytes);

// Line ends are skipped. Nothing if `text` is not base64.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace berth
