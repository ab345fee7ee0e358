// SPDX-License-Identifier: Apache-2.0
// Effects on objects that a core knows and the world's store does not have.
//
// They are as if the cluster that they come from had followed at once: a victim is gone, a binding is made, a claim has
// its volume or its devices. A volume that had to be provisioned is taken to be.

#pragma once

#include <vector>

#include "framework/effects.h"
#include "scheduler/core.h"
#include "world/world.h"

namespace berth::world {

// Whoever compares versions sees another, later one.
void Touch(api::ObjectMeta& meta);

// Whether the object that the effect is about is in the core and not in the store.
bool IsElsewhere(const framework::Effect& effect, const scheduler::Core& core, const World& world);

// What the core is told when it was carried out, in this order; its answer comes last. REQUIRES: IsElsewhere.
std::vector<decltype(scheduler::Input::what)> CarryOutElsewhere(const scheduler::IssuedEffect& issued,
                                                                const scheduler::Core& core);

}  // namespace berth::world
