// SPDX-License-Identifier: Apache-2.0
// Strict decoding of the parts of a configuration, field by field.
//
// The functions are found by the type of what they read, so they are in its namespace.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "framework/args/strict_decoder.h"
#include "framework/configuration.h"

namespace berth::framework {

void Decode(StrictDecoder& decoder, api::Value value, LeaderElectionConfiguration& out);
void Decode(StrictDecoder& decoder, api::Value value, ClientConnectionConfiguration& out);
void Decode(StrictDecoder& decoder, api::Value value, Plugins& out);
void Decode(StrictDecoder& decoder, api::Value value, ExtenderTlsConfig& out);
void Decode(StrictDecoder& decoder, api::Value value, ExtenderManagedResource& out);
void Decode(StrictDecoder& decoder, api::Value value, ExtenderConfiguration& out);

// A field of base64 that becomes the bytes it stands for.
template <std::string ExtenderTlsConfig::* kMember>
constexpr Field<ExtenderTlsConfig> Base64Into(std::string_view name) {
  return {name, [](StrictDecoder& decoder, api::Value value, ExtenderTlsConfig& out) {
            std::string text;
            Decode(decoder, value, text);
            std::optional<std::string> bytes = DecodeBase64(text);
            if (!bytes) return decoder.Mismatch(value, "base64");
            out.*kMember = std::move(*bytes);
          }};
}

}  // namespace berth::framework
