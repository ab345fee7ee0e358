// SPDX-License-Identifier: Apache-2.0
// PodAddresses: gives every simulated pod an address that no other pod has: 10.0.0.0/10, a range of 256 for each node.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace berth::server {

class PodAddresses {
 public:
  // An address for the pod with this key, which has none yet.
  std::string Take(std::string_view node, std::string_view pod);
  // The pod has this address already, such as one from an earlier run.
  void Keep(std::string_view pod, std::string_view address);
  void Release(std::string_view pod);

 private:
  std::unordered_map<std::string, uint32_t> next_;       // By node: where to look for a free one.
  std::unordered_map<uint32_t, std::string> pods_;       // By address.
  std::unordered_map<std::string, uint32_t> addresses_;  // By pod.
};

}  // namespace berth::server
