// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/pod_addresses.h"

#include <fmt/format.h>

#include <cstdio>

namespace berth::server {
namespace {

constexpr uint32_t kNet = 10U << 24;
constexpr uint32_t kSize = 1U << 22;
constexpr uint32_t kPerNode = 256;

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

std::string PodAddresses::Take(std::string_view node, std::string_view pod) {
  if (const auto found = addresses_.find(std::string(pod)); found != addresses_.end()) return Format(found->second);
  const auto base = static_cast<uint32_t>(next_.size()) * kPerNode;
  uint32_t& next = next_.try_emplace(std::string(node), base % kSize).first->second;
  const uint32_t first = next - next % kPerNode;
  for (uint32_t tries = 0; tries < kSize; ++tries) {
    // All of the node's own, and only then those of others.
    const uint32_t offset = tries < kPerNode ? first + (next + tries) % kPerNode : (first + tries) % kSize;
    const uint32_t address = kNet + offset;
    if (!IsHost(address) || pods_.contains(address)) continue;
    next = first + (offset + 1) % kPerNode;
    pods_.emplace(address, pod);
    addresses_.emplace(pod, address);
    return Format(address);
  }
  return {};
}

void PodAddresses::Keep(std::string_view pod, std::string_view address) {
  const uint32_t number = Parse(address);
  if (number == 0 || !pods_.try_emplace(number, pod).second) return;
  addresses_.insert_or_assign(std::string(pod), number);
}

void PodAddresses::Release(std::string_view pod) {
  const auto found = addresses_.find(std::string(pod));
  if (found == addresses_.end()) return;
  pods_.erase(found->second);
  addresses_.erase(found);
}

}  // namespace berth::server
