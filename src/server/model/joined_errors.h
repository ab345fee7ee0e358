// SPDX-License-Identifier: Apache-2.0
// Several errors in one text, as Go's API machinery prints them.

#pragma once

#include <string>
#include <vector>

namespace berth::server {

// One error as it is, several in brackets; each once. "" if there is none.
std::string JoinErrors(const std::vector<std::string>& errors);

}  // namespace berth::server
