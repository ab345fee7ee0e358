// SPDX-License-Identifier: Apache-2.0
// Tries a group and prints what became of it in the form of the recorded decisions.

#pragma once

#include <string>

#include "scheduler/rehearsal.h"

namespace berth::conformance {

// One JSON object. `wide`: with everything that the families gang-* record.
std::string WriteGroup(scheduler::Rehearsal& rehearsal, const cluster::GroupKey& root, bool wide);

}  // namespace berth::conformance
