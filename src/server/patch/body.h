// SPDX-License-Identifier: Apache-2.0
// Body: an object that a client sent, decoded.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/wire/table.h"
#include "server/model/json.h"
#include "server/model/object_schema.h"
#include "server/model/resource.h"
#include "server/model/status.h"

namespace berth::server {

// What becomes of members that the kind does not have.
enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };

// Refuses what is none of the three, as upstream does.
Outcome<FieldValidation> ParseFieldValidation(std::string_view text);

struct Body {
  Json object;                        // Canonical, with kind and apiVersion.
  std::vector<std::string> warnings;  // For the client.
};

// What a body must be: a kind of the wire table, or a custom resource.
struct BodyKind {
  // NOLINTBEGIN(google-explicit-constructor): both know all of it.
  BodyKind(const api::wire::Kind& of)
      : api_version(of.api_version), kind(of.kind), schema(api::wire::MessageAt(of.message)), wire(&of) {}
  BodyKind(const Resource& of) : api_version(of.api_version), kind(of.kind), schema(of.schema()), wire(of.wire) {}
  // NOLINTEND(google-explicit-constructor)

  std::string_view api_version;
  std::string_view kind;
  ObjectSchema schema;
  const api::wire::Kind* wire;  // nullptr: a custom resource.
};

// `bytes` by their content type: JSON, YAML or protobuf. The object must be of `kind`; one that does not say what it is
// is taken for that.
Outcome<Body> DecodeBody(std::string_view content_type, std::string_view bytes, const BodyKind& kind,
                         FieldValidation validation);

}  // namespace berth::server
