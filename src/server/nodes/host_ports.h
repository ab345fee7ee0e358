// SPDX-License-Identifier: Apache-2.0
// The ports of their node that pods take for themselves.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

struct HostPort {
  std::string ip;  // 0.0.0.0: all addresses of the node.
  std::string protocol;
  int64_t port = 0;
};

// Of its containers and sidecars.
std::vector<HostPort> HostPortsOf(const Json& pod);

// Whether pods with these ports cannot be on one node.
bool DoClash(const std::vector<HostPort>& left, const std::vector<HostPort>& right);

}  // namespace berth::server
