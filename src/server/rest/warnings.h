// SPDX-License-Identifier: Apache-2.0
// Warnings: what a client shall know of a request that was carried out, as headers of the answer.

#pragma once

#include <string>
#include <vector>

namespace berth::server {

// Each once. Where they are long together, each is cut short, and the last ones are left out, as upstream does it:
// clients take only so much of headers.
std::vector<std::string> ShownWarnings(const std::vector<std::string>& warnings);

}  // namespace berth::server
