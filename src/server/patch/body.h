// SPDX-License-Identifier: Apache-2.0
// Body: an object that a client sent, decoded.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/wire/table.h"
#include "server/model/json.h"
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

// `bytes` by their content type: JSON, YAML or protobuf. The object must be of `kind`; one that does not say what it is
// is taken for that.
Outcome<Body> DecodeBody(std::string_view content_type, std::string_view bytes, const api::wire::Kind& kind,
                         FieldValidation validation);

}  // namespace berth::server
