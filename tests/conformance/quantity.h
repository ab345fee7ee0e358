// SPDX-License-Identifier: Apache-2.0
// The kind `quantity`: what a quantity's text means.

#pragma once

#include <iosfwd>

namespace berth::conformance {

// Reads lines {"in"} and prints {"name", "results": [{"in", "canonical", "value", ...} or {"in", "error"}]} for each.
void RunQuantity(std::istream& in, std::ostream& out);

}  // namespace berth::conformance
