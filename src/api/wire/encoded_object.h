// SPDX-License-Identifier: Apache-2.0
// EncodedObject: an object as it came over the wire, not read yet.
//
// Lists and watch frames are cut into these, and each is read by itself, so that one that cannot be read costs nothing
// but itself. Of such a one the metadata may still be readable, and say which it is.
//
// Thread: any. Cost: cutting looks at every byte of JSON once, and at the lengths only in protobuf.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/document/value.h"
#include "api/wire/read_options.h"
#include "api/wire/table.h"
#include "base/result.h"

namespace berth::api::wire {

enum class Encoding : uint8_t { kJson, kProtobuf };

struct EncodedObject {
  Encoding encoding = Encoding::kJson;
  std::string_view bytes;  // The JSON text, or the protobuf message without its envelope; a view of what was cut.
};

// Reads what the kind has: unknown members are skipped. Fails if the bytes are malformed, or what is read is nested
// deeper than ParseJson takes.
Result<Document> ReadObject(const EncodedObject& object, const Kind& kind, const ReadOptions& options = {});

// The metadata alone.
// REQUIRES: objects of the kind have metadata.
Result<Document> ReadMetadata(const EncodedObject& object, const Kind& kind, const ReadOptions& options = {});

struct EncodedList {
  std::string resource_version;
  std::string continue_token;
  std::vector<EncodedObject> items;
};

// Cuts the list of objects of a kind that a server answered with. Fails if it is none.
// REQUIRES: the kind has a list kind.
Result<EncodedList> CutList(Encoding encoding, std::string_view body, const Kind& kind);

}  // namespace berth::api::wire
