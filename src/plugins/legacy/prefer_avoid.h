// SPDX-License-Identifier: Apache-2.0
// The annotation by which a node asks not to be given the pods of a controller, if it can be helped.

#pragma once

#include <string_view>
#include <vector>

#include "api/objects/meta.h"

namespace berth::plugins::legacy {

inline constexpr std::string_view kPreferAvoidPodsAnnotation = "scheduler.alpha.kubernetes.io/preferAvoidPods";

// The controllers that the text of the annotation names; none if it cannot be read. Entries without a controller are
// left out.
std::vector<api::OwnerReference> ReadAvoidedControllers(std::string_view annotation);

// Whether pods of `controller` are to be avoided by a node with these annotations. Only replication controllers and
// replica sets can be.
bool IsAvoided(const api::OwnerReference& controller, const api::Labels& annotations);

}  // namespace berth::plugins::legacy
