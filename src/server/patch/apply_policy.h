// SPDX-License-Identifier: Apache-2.0
// Merging what an admission policy wants into an object: server-side apply without owners.

#pragma once

#include <expected>
#include <string>

#include "server/model/json.h"
#include "server/model/object_schema.h"

namespace berth::server {

// The object with the configuration, in canonical form. Fails, in upstream's words, if the configuration does not fit
// the types of the kind or has a part that can only be replaced as a whole.
std::expected<Json, std::string> MergeForPolicy(const Json& object, const Json& config, const ObjectSchema& schema);

}  // namespace berth::server
