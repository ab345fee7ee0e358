// SPDX-License-Identifier: Apache-2.0
// Replays recorded scripts of informer notifications, pops and failures against the scheduling queue.

#pragma once

#include <iosfwd>

namespace berth::conformance {

void RunQueue(std::istream& in, std::ostream& out);

}  // namespace berth::conformance
