// SPDX-License-Identifier: Apache-2.0
// The JSON of an object of a known kind, read as protobuf is: by the wire table, and so only what the kind has.
//
// Members that the kind does not have are skipped with all that they hold, and so is what the options leave out. What
// is read is therefore no deeper than the kind, and nothing that a client put into an opaque part makes it fail.

#pragma once

#include <string_view>

#include "api/document/value.h"
#include "api/wire/read_options.h"
#include "api/wire/table.h"
#include "base/result.h"

namespace berth::api::wire {

// Fails as ParseJson does, but bytes that are not UTF-8 become U+FFFD.
Result<Document> ParseJsonObject(std::string_view text, const Message& message, const ReadOptions& options = {});

}  // namespace berth::api::wire
