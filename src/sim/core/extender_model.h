// SPDX-License-Identifier: Apache-2.0
// ExtenderModel: HTTP extenders as a simulation has them: they strike nodes and give scores by chance.

#pragma once

#include <string>
#include <vector>

#include "framework/configuration.h"
#include "framework/effects.h"
#include "sim/core/dice.h"

namespace berth::sim {

// Two extenders: one for pods that request memory, which knows the nodes by name, and one for pods that request a GPU,
// which is sent whole objects, has a say in preemption and binds its pods itself.
std::vector<framework::ExtenderConfiguration> ModelledExtenders();

// The body that answers a call, except for one that binds. `strikes`: the chance in percent that a node, or a candidate
// for preemption, is struck.
std::string AnswerOf(const framework::CallExtender& call, Dice& dice, int64_t strikes);

// The node of a call that binds.
std::string BoundNode(const framework::CallExtender& call);

}  // namespace berth::sim
