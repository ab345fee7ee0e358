// SPDX-License-Identifier: Apache-2.0
// The kind `config`: what a configuration file becomes, or why it is refused.

#pragma once

#include <iosfwd>

namespace berth::conformance {

// Reads lines {"name", "config"} and prints {"name", "results": [{"output"} or {"error"}]} for each.
void RunConfig(std::istream& in, std::ostream& out);

}  // namespace berth::conformance
