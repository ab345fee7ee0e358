// SPDX-License-Identifier: Apache-2.0
// The paths and operations of resources in OpenAPI v3.

#pragma once

#include "api/document/json_writer.h"
#include "server/model/resource.h"
#include "server/rest/openapi_schemas.h"

namespace berth::server {

// Writes the paths of a resource as members of the open object and adds the schemas that they mention.
void WritePaths(api::JsonWriter& out, const Resource& resource, OpenApiSchemas& schemas);

}  // namespace berth::server
