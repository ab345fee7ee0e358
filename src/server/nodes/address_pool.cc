// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/address_pool.h"

#include <fmt/format.h>

#include <cstdio>

namespace berth::server {
namespace {

bool IsHost(uint32_t address) { return (address & 0xff) != 0 && (address & 0xff) != 0xff; }

std::string Format(uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 0xff, address >> 8 & 0xff, address & 0xff);
}

// 0 if it is none.
uint32_t Parse(std::string_view text) {
  unsigned parts[4] = {};
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%3u.%3u.%3u.%3u", &parts[0], &parts[1], &parts[2], &parts[3]) != 4) return 0;
  return parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | parts[3];
}

}  // namespace

std::string HostAddress(const AddressPool::Range& range, uint32_t number) {
  return Format(range.first + number % range.size);
}

std::string AddressPool::Take(std::string_view group, std::string_view owner) {
  if (const auto found = addresses_.find(std::string(owner)); found != addresses_.end()) return Format(found->second);
  const auto base = static_cast<uint32_t>(next_.size()) * range_.per_group;
  uint32_t& next = next_.try_emplace(std::string(group), base % range_.size).first->second;
  const uint32_t first = next - next % range_.per_group;
  for (uint32_t tries = 0; tries < range_.size; ++tries) {
    // All of the group's own, and only then those of others.
    const uint32_t offset =
        tries < range_.per_group ? first + (next + tries) % range_.per_group : (first + tries) % range_.size;
    const uint32_t address = range_.first + offset;
    if (!IsHost(address) || owners_.contains(address)) continue;
    next = first + (offset + 1) % range_.per_group;
    owners_.emplace(address, owner);
    addresses_.emplace(owner, address);
    return Format(address);
  }
  return {};
}

void AddressPool::Keep(std::string_view owner, std::string_view address) {
  const uint32_t number = Parse(address);
  if (number == 0 || !owners_.try_emplace(number, owner).second) return;
  addresses_.insert_or_assign(std::string(owner), number);
}

void AddressPool::Release(std::string_view owner) {
  const auto found = addresses_.find(std::string(owner));
  if (found == addresses_.end()) return;
  owners_.erase(found->second);
  addresses_.erase(found);
}

}  // namespace berth::server
