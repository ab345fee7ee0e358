// SPDX-License-Identifier: Apache-2.0
// The objects of the core API that plugin arguments can hold, node affinity and spreading constraints: strict decoding
// and writing.

#pragma once

#include <string>
#include <vector>

#include "api/document/json_writer.h"
#include "api/objects/pod.h"
#include "framework/args/strict_decoder.h"

namespace berth::framework {

void Decode(StrictDecoder& decoder, api::Value value, api::NodeAffinity& out);
void Decode(StrictDecoder& decoder, api::Value value, api::TopologySpreadConstraint& out);

void WriteNodeAffinity(const api::NodeAffinity& affinity, api::JsonWriter& json);
void WriteSpreadConstraint(const api::TopologySpreadConstraint& constraint, api::JsonWriter& json);

// What is wrong with the selectors of `affinity`, each as `.path: reason` below it. `written` is what it was decoded
// from.
std::vector<std::string> AffinitySelectorErrors(const api::NodeAffinity& affinity, api::Value written);

}  // namespace berth::framework
