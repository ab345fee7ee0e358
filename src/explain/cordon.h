// SPDX-License-Identifier: Apache-2.0
// Cordoned nodes: besides their field they have a taint, which says nothing new.

#pragma once

#include <string_view>

namespace berth::explain {

inline constexpr std::string_view kCordonTaintKey = "node.kubernetes.io/unschedulable";

}  // namespace berth::explain
