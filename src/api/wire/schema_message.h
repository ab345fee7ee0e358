// SPDX-License-Identifier: Apache-2.0
// Schemas of custom resources (JSONSchemaProps) as protobuf.
//
// In JSON a schema is what OpenAPI says; as a message it has types that the wire table does not know: numbers with
// fractions, JSON in texts, and values that are a schema or something else.
//
// Thread: any.

#pragma once

#include <string_view>

#include "api/document/document_builder.h"
#include "api/document/value.h"
#include "api/wire/backward_writer.h"

namespace berth::api::wire {

// Adds the schema in a message. Throws as MessageDecoder does.
void ReadSchema(std::string_view bytes, DocumentBuilder& builder);

// Writes a schema, but for its own tag and length. What does not fit its place is left out or written as zero.
void WriteSchema(Value schema, BackwardWriter& out);

}  // namespace berth::api::wire
