// SPDX-License-Identifier: Apache-2.0
// AddressPool: gives addresses of a network, each to one owner. Owners of a group get theirs side by side, as long as
// there are any.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace berth::server {

class AddressPool {
 public:
  struct Range {
    uint32_t first;      // The address of the network.
    uint32_t size;       // Addresses in it.
    uint32_t per_group;  // So many of them are a group's own.
  };

  explicit AddressPool(const Range& range) : range_(range) {}

  // The owner's address; a free one if it has none yet, "" if there is none left.
  std::string Take(std::string_view group, std::string_view owner);
  // The owner has this address already, such as one from an earlier run.
  void Keep(std::string_view owner, std::string_view address);
  void Release(std::string_view owner);

 private:
  const Range range_;
  std::unordered_map<std::string, uint32_t> next_;       // By group: where to look for a free one.
  std::unordered_map<uint32_t, std::string> owners_;     // By address.
  std::unordered_map<std::string, uint32_t> addresses_;  // By owner.
};

// 10.0.0.0/10: pods, grouped by their nodes. Nodes are in 10.128.0.0/9.
inline constexpr AddressPool::Range kPodNetwork{.first = 10U << 24, .size = 1U << 22, .per_group = 256};
inline constexpr AddressPool::Range kNodeNetwork{
    .first = 10U << 24 | 128U << 16, .size = 1U << 23, .per_group = 1U << 23};

// The address of the network's host with this number.
std::string HostAddress(const AddressPool::Range& range, uint32_t number);

}  // namespace berth::server
