// SPDX-License-Identifier: Apache-2.0
// SimulateProtocol: one run of live schedulers against a simulated API server, over a simulated network, all of it from
// one seed.
//
// What runs is what runs live: informers, orders, events, leader election and their client, with one or two instances
// that crash, stop, lose their lease and come back. For two virtual minutes the world is unreliable; then it comes to
// rest.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace berth::sim {

struct ProtocolOutcome {
  std::string failure;  // Empty if all is well.
  uint64_t requests = 0;
  uint64_t bindings = 0;
  uint64_t member_bindings = 0;  // Those of groups.
  uint64_t instances = 0;        // Started.
  uint64_t leaders = 0;          // How often the lease changed hands.
  uint64_t request_hash = 0;     // Of all requests in order.
};

// `trace`, if given, takes a line for each request, input, effect and write.
ProtocolOutcome SimulateProtocol(uint64_t seed, const std::function<void(const std::string&)>& trace = nullptr);

}  // namespace berth::sim
