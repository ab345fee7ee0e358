// SPDX-License-Identifier: Apache-2.0
// Replays recorded scripts of node and pod changes against the cluster state.

#pragma once

#include <iosfwd>

namespace berth::conformance {

void RunCache(std::istream& in, std::ostream& out);

}  // namespace berth::conformance
