// SPDX-License-Identifier: Apache-2.0
// Inputs and effects as one line of text, for traces and for comparing runs.

#pragma once

#include <string>

#include "sim/core/api_model.h"

namespace berth::sim {

std::string Describe(const ApiModel::What& what);
std::string Describe(const scheduler::IssuedEffect& issued);

}  // namespace berth::sim
