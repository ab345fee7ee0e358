// SPDX-License-Identifier: Apache-2.0
// The protobuf form of API objects, as API servers send and take it: an envelope around the message of a kind.
//
// Both directions go through the wire table and the same tree as JSON, so decoders need not know in which form an
// object came: kind and apiVersion in front, JSON names in the order of JSON, quantities and times as strings, zero
// values left out exactly where API servers leave them out.
//
// Thread: any. Cost: one pass to find the fields of a message and one to build them; no JSON text in between.

#pragma once

#include <string>
#include <string_view>

#include "api/document/value.h"
#include "api/wire/envelope.h"
#include "api/wire/read_options.h"
#include "api/wire/table.h"
#include "base/result.h"

namespace berth::api::wire {

// Reads an object or a list of objects. Unknown fields are skipped; of a single field that occurs twice the last
// counts. Bytes that are not UTF-8 become U+FFFD, as in JSON from an API server. Fails if the bytes are malformed or
// the kind is unknown.
Result<Document> ParseProtobuf(std::string_view bytes, const ReadOptions& options = {});

// Reads the message of an object, or of a part of one, without an envelope. Fails if the bytes are malformed.
Result<Document> ParseMessage(const Kind& kind, std::string_view bytes, const ReadOptions& options = {});
Result<Document> ParseMessage(const Message& message, std::string_view bytes, const ReadOptions& options = {});

// Whether `bytes` begin like an object in protobuf form.
bool IsProtobuf(std::string_view bytes);

// Writes the object in the form of its kind and apiVersion. Members that the kind does not have are left out. An error
// names the field: "spec.containers[0].ports: expected a list, found a string".
Result<std::string> ToProtobuf(Value object);

}  // namespace berth::api::wire
