// SPDX-License-Identifier: Apache-2.0
// The formats of strings that schemas may ask for.

#pragma once

#include <string_view>

namespace berth::server {

// Whether the text has the format. True for formats that are not known.
bool HasTextFormat(std::string_view text, std::string_view format);

}  // namespace berth::server
