// SPDX-License-Identifier: Apache-2.0
// URLs of HTTP requests: where to connect, what to ask for, and where an answer sends on.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "net/endpoint.h"

namespace berth::client {

struct RequestUrl {
  net::Endpoint endpoint;  // Without a base path.
  std::string target;      // Path and query. What may not stand in a request is percent-encoded.
};

// Errors are those of Go's client where it has some.
Result<RequestUrl> ParseRequestUrl(std::string_view url);

// Where the Location header of an answer from `url` leads to.
std::string ResolveLocation(std::string_view url, std::string_view location);

}  // namespace berth::client
