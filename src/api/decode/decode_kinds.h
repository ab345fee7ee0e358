// SPDX-License-Identifier: Apache-2.0
// Decoding by kind, and the readers of single kinds.

#pragma once

#include <string_view>

#include "api/decode/field_reader.h"
#include "api/document/value.h"
#include "api/objects/object.h"
#include "base/result.h"

namespace berth::api {

// Decodes `value` as an object of that kind and apiVersion, whatever the value says about itself. Fails as
// DecodeObject.
Result<Object> DecodeObjectAs(std::string_view kind, std::string_view api_version, Value value);

// Read everything of an object but its metadata.
#define BERTH_READ_KIND(type, ...) void Read##type(FieldReader& r, type& object);
BERTH_KINDS(BERTH_READ_KIND)
#undef BERTH_READ_KIND

}  // namespace berth::api
