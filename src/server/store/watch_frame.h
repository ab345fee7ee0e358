// SPDX-License-Identifier: Apache-2.0
// Frames of a watch stream: an event and its object, as the body of an answer holds them one behind the other.

#pragma once

#include <string>
#include <string_view>

#include "api/wire/watch_stream.h"
#include "server/store/stored_object.h"

namespace berth::server {

using api::wire::Encoding;

// `type` is ADDED, MODIFIED, DELETED, BOOKMARK or ERROR; `object` is encoded likewise, in protobuf with its envelope.
std::string WatchFrame(Encoding encoding, std::string_view type, std::string_view object);

// The encoded object.
Bytes Encoded(const StoredObject& object, Encoding encoding);

}  // namespace berth::server
