// SPDX-License-Identifier: Apache-2.0
// Strict decoding of the parts of a configuration, field by field.

#pragma once

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

}  // namespace berth::config
