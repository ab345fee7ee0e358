// SPDX-License-Identifier: Apache-2.0
// WriteRequest: a request with a body, which is encoded here.

#pragma once

#include <string>
#include <string_view>

#include "api/document/value.h"
#include "client/request/rest_client.h"

namespace berth::client {

inline constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";

// How long a server may take. Nobody knows what became of a write after that.
inline constexpr Duration kWriteTimeout = Seconds(30);

// POST, PUT or DELETE. `object` has its kind and apiVersion and goes as JSON or, if `content_type` says so, as
// protobuf.
RestRequest WriteRequest(std::string method, std::string path, api::Value object, std::string_view content_type);

// The same with the text of an object, which goes as JSON.
RestRequest JsonRequest(std::string method, std::string path, std::string json);

// PATCH, which is always JSON.
RestRequest PatchRequest(std::string path, std::string patch);

}  // namespace berth::client
