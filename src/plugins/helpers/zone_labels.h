// SPDX-License-Identifier: Apache-2.0
// The labels that say in which zone and region a volume is, and what they mean for its node affinity.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/parts/labels.h"
#include "api/parts/selector.h"

namespace berth::plugins {

inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegionLabel = "topology.kubernetes.io/region";
inline constexpr std::string_view kBetaZoneLabel = "failure-domain.beta.kubernetes.io/zone";
inline constexpr std::string_view kBetaRegionLabel = "failure-domain.beta.kubernetes.io/region";

// The parts of a label value that names several zones: a__b gives a and b. An empty value has one empty part.
std::vector<std::string_view> SplitZones(std::string_view value);

// Rewrites the node affinity of a volume for its CSI driver, whose nodes carry their zone as `zone_key`: requirements
// on the Kubernetes zone become requirements on that label. If there are none, the zone label of the volume becomes
// one.
void UseDriverZones(const api::Labels& volume_labels, std::string_view zone_key,
                    std::optional<api::NodeSelector>& affinity);

}  // namespace berth::plugins
