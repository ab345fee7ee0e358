// SPDX-License-Identifier: Apache-2.0
// Ids of the cluster state. They never order anything that a user sees.

#pragma once

#include <compare>
#include <cstdint>

namespace berth::cluster {

// A row of the node table. Slots of removed nodes are reused.
struct NodeSlot {
  uint32_t index = 0;
  auto operator<=>(const NodeSlot&) const = default;
};

// The name of a scalar resource (see ResourceNames). Ids grow and are never reused.
struct ResourceId {
  uint64_t number = 0;
  auto operator<=>(const ResourceId&) const = default;
};

// A value of one topology key, such as one zone. kNoDomain: the node does not have the label.
using DomainId = uint32_t;
inline constexpr DomainId kNoDomain = ~DomainId{0};

}  // namespace berth::cluster
