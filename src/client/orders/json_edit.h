// SPDX-License-Identifier: Apache-2.0
// WithMembers: a JSON document with some members set, and everything else as it was.
//
// Objects of the API server are changed this way, so that fields unknown to the scheduler survive an update.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/document/value.h"

namespace berth::client {

struct JsonMember {
  std::vector<std::string> path;  // Names of members, from the root. Maps on the way are made if absent.
  std::string json;               // Its new value.
};

// REQUIRES: `root` is a map, and so is what the members' paths lead through, unless it is absent or null.
std::string WithMembers(api::Value root, std::span<const JsonMember> members);

}  // namespace berth::client
