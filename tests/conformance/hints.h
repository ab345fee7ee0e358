// SPDX-License-Identifier: Apache-2.0
// The kinds `hints` and `registrations`: which changes of the cluster the plugins take for helpful.

#pragma once

#include <iosfwd>

namespace berth::conformance {

// Reads lines {"plugin", "event", "pod", "old", "new", "objects"} and prints {"name", "results": [{"expect",
// "derived"}]} for each.
void RunHints(std::istream& in, std::ostream& out);

// Prints {"name", "results": [{"plugin", "resource", "actions", "hasHint"}, ...]}: what the plugins of the default
// profile register, by plugin name. Reads nothing.
void RunRegistrations(std::istream& in, std::ostream& out);

}  // namespace berth::conformance
