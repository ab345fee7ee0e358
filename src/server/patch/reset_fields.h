// SPDX-License-Identifier: Apache-2.0
// What a write cannot change on the way it takes, so that nobody comes to own it: the status of an object that has its
// own way for it, and everything else on that way.

#pragma once

#include <string_view>

#include "server/model/resource.h"
#include "server/patch/field_set.h"

namespace berth::server {

// Null: everything can be written.
const FieldSet* ResetFields(const Resource& resource, std::string_view subresource);

}  // namespace berth::server
