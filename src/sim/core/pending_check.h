// SPDX-License-Identifier: Apache-2.0
// FindPodThatFits: whether a cluster at rest still has a pod waiting that could run.

#pragma once

#include <span>
#include <string>

#include "api/objects/object.h"

namespace berth::sim {

// Names a pending pod that the plain scheduler would place; empty if there is none.
std::string FindPodThatFits(std::span<const api::Object> objects);

}  // namespace berth::sim
