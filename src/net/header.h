// SPDX-License-Identifier: Apache-2.0
// Header fields of HTTP: lookup by name in any case, and the comma-separated lists in their values.

#pragma once

#include <span>
#include <string_view>

#include "net/transport.h"

namespace berth::net {

// The value of the first header called `name`, or "".
std::string_view FindHeader(std::span<const Header> headers, std::string_view name);

// Whether a header called `name` lists `token`, as in "Connection: keep-alive, close".
bool HasToken(std::span<const Header> headers, std::string_view name, std::string_view token);

// Whether the header may be sent: its name is a token and its value has no line break.
bool IsValid(const Header& header);

}  // namespace berth::net
