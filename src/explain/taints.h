// SPDX-License-Identifier: Apache-2.0
// Taints of nodes, as questions and answers name them.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "api/objects/node.h"

namespace berth::explain {

// Cordoned nodes have this taint besides their field, which says nothing new.
inline constexpr std::string_view kCordonTaintKey = "node.kubernetes.io/unschedulable";

inline void Uncordon(api::Node& node) {
  node.unschedulable = false;
  std::erase_if(node.taints, [](const api::Taint& taint) { return taint.key == kCordonTaintKey; });
}

// "key=value:Effect", or "key:Effect" without a value.
inline std::string TaintText(const api::Taint& taint) {
  return taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + taint.effect;
}

}  // namespace berth::explain
