// SPDX-License-Identifier: Apache-2.0
// Strict decoding of the node affinity and the spreading constraints that plugin arguments can hold.

#pragma once

#include <string>
#include <vector>

#include "api/pod.h"
#include "config/strict_decoder.h"

namespace berth::config {

void Decode(StrictDecoder& decoder, api::Value value, api::NodeAffinity& out);
void Decode(StrictDecoder& decoder, api::Value value, api::TopologySpreadConstraint& out);

// What is wrong with the selectors of `affinity`, each as `.path: reason` below it. `written` is what it was decoded
// from.
std::vector<std::string> AffinitySelectorErrors(const api::NodeAffinity& affinity, api::Value written);

}  // namespace berth::config
