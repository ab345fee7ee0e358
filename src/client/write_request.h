// SPDX-License-Identifier: Apache-2.0
// WriteRequest: a request with a body in the content type that the configuration asks for.

#pragma once

#include <string>
#include <string_view>

#include "client/rest_client.h"

namespace berth::client {

inline constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";

// How long a server may take. Nobody knows what became of a write after that.
inline constexpr Duration kWriteTimeout = Seconds(30);

// POST, PUT or DELETE. `json` is an object with its kind and apiVersion, which goes as JSON or, if `content_type` says
// so, as protobuf.
RestRequest WriteRequest(std::string method, std::string path, std::string json, std::string_view content_type);

// PATCH, which is always JSON.
RestRequest PatchRequest(std::string path, std::string patch);

}  // namespace berth::client
