// SPDX-License-Identifier: Apache-2.0
// What the claim of a volume is called that lives as long as its pod.

#pragma once

#include <string>

#include "server/store/stored_object.h"

namespace berth::server {

inline std::string EphemeralClaimName(const StoredObject& pod, const Json& volume) {
  return std::string(pod.name()) + "-" + volume["name"].text();
}

}  // namespace berth::server
