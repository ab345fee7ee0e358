// SPDX-License-Identifier: Apache-2.0
// Bounds of what is stored: whatever gets into the store can be read back, by this server and by its clients.
//
// Managed fields count: they name every field of an object, opaque ones too, and so are a little deeper than it.

#pragma once

#include "api/document/document_builder.h"
#include "server/model/json.h"
#include "server/model/resource.h"
#include "server/model/status.h"

namespace berth::server {

// Of lists and maps. Lists, events of watches and tables put levels of their own around an object.
inline constexpr size_t kObjectLevelsMax = api::DocumentBuilder::kDepthMax - 8;
// Of its text, but for what is escaped; as large as the body of a request may be.
inline constexpr size_t kObjectBytesMax = size_t{3} << 20;
// Of namespace and name; what a journal has room for. Most kinds allow much less.
inline constexpr size_t kObjectKeyBytesMax = 0xFFFF;

// Refuses an object that is deeper (400), larger (413) or has a longer name (422).
Outcome<void> CheckBounds(const Resource& resource, const Json& object);

}  // namespace berth::server
