// SPDX-License-Identifier: Apache-2.0
// The image of a container, by its name, which is all there is of it.

#pragma once

#include <string_view>

namespace berth::server {

// The last part of the name, without tag and digest.
std::string_view ImageName(std::string_view image);

// Whether it is there to be pulled. It is not if its tag is 404, nonexistent or non-existent, as tests call images that
// are missing, or if its registry is below .invalid, where no host can be.
bool IsPullable(std::string_view image);

}  // namespace berth::server
