// SPDX-License-Identifier: Apache-2.0
// Strict decoding of the parts of a configuration, field by field.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "config/strict_decoder.h"
#include "framework/configuration.h"

namespace berth::config {

void Decode(StrictDecoder& decoder, api::Value value, framework::LeaderElectionConfiguration& out);
void Decode(StrictDecoder& decoder, api::Value value, framework::ClientConnectionConfiguration& out);
void Decode(StrictDecoder& decoder, api::Value value, framework::PluginReference& out);
void Decode(StrictDecoder& decoder, api::Value value, framework::PluginSet& out);
void Decode(StrictDecoder& decoder, api::Value value, framework::Plugins& out);
void Decode(StrictDecoder& decoder, api::Value value, framework::ExtenderTlsConfig& out);
void Decode(StrictDecoder& decoder, api::Value value, framework::ExtenderManagedResource& out);
void Decode(StrictDecoder& decoder, api::Value value, framework::ExtenderConfiguration& out);

// A field of base64 that becomes the bytes it stands for.
template <std::string framework::ExtenderTlsConfig::* kMember>
constexpr Field<framework::ExtenderTlsConfig> Base64Into(std::string_view name) {
  return {name, [](StrictDecoder& decoder, api::Value value, framework::ExtenderTlsConfig& out) {
            std::string text;
            Decode(decoder, value, text);
            std::optional<std::string> bytes = DecodeBase64(text);
            if (!bytes) return decoder.Mismatch(value, "base64");
            out.*kMember = std::move(*bytes);
          }};
}

}  // namespace berth::config
