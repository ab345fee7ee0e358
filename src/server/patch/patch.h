// SPDX-License-Identifier: Apache-2.0
// Patches as they are sent: a body of JSON, its type, and how strict the client wants to be.
//
// Server-side apply is not among them; see apply.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/model/json.h"
#include "server/model/status.h"
#include "server/patch/body.h"

namespace berth::server {

enum class PatchType : uint8_t { kJson, kMerge, kStrategic };

// By the media type, such as application/merge-patch+json. Nothing if it is another.
std::optional<PatchType> ParsePatchType(std::string_view media_type);

// An object of `kind` after the patch in `text`, decoded again. Malformed patches are bad requests (400), those that do
// not apply or make something else of the object are invalid (422), except that strategic merges fail otherwise (500).
Outcome<Body> ApplyPatch(PatchType type, const Json& current, std::string_view text, const BodyKind& kind,
                         FieldValidation validation);

}  // namespace berth::server
