// SPDX-License-Identifier: Apache-2.0
// The document of OpenAPI v2 as protobuf, in the messages of gnostic's openapi.v2, which is how kubectl reads it.

#pragma once

#include <string>

#include "api/document/value.h"

namespace berth::server {

// What is written by openapi_schemas.h and openapi_paths.h is taken over; other members are left out.
std::string OpenApiToProtobuf(api::Value document);

}  // namespace berth::server
