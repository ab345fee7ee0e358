// SPDX-License-Identifier: Apache-2.0
// The kind `decisions`: where pods go in recorded scenarios, and why they do not.

#pragma once

#include <iosfwd>

namespace berth::conformance {

// Reads scenarios and prints {"name", "results"} for each, one result per step; null for a step without a decision.
void RunDecisions(std::istream& in, std::ostream& out);

}  // namespace berth::conformance
