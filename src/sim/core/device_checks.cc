// SPDX-License-Identifier: Apache-2.0
// What must be true of devices, by what the API server has.

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sim/core/checker.h"
#include "sim/core/workload.h"

namespace berth::sim {
namespace {

struct Given {
  std::string_view claim;  // That has the whole of it.
  api::Quantity memory;    // That shares of it take.
  size_t shares = 0;
};

constexpr int64_t kMemory = 2;  // Of every device that can be shared.

}  // namespace

std::string Checker::CheckDevices() const {
  std::map<std::pair<std::string_view, std::string_view>, Given> given;  // By pool and device.
  std::map<std::string_view, int64_t> units;                             // That are taken, by pool of parts.
  for (auto it = server_.objects().lower_bound("ResourceClaim/"); it != server_.objects().end(); ++it) {
    const auto* claim = std::get_if<api::ResourceClaim>(&it->second);
    if (claim == nullptr) break;
    if (!claim->allocation) continue;
    for (const api::DeviceRequestAllocationResult& result : claim->allocation->results) {
      const auto device = [&] { return fmt::format("{}/{}", result.pool, result.device); };
      Given& entry = given[{result.pool, result.device}];
      if (!entry.claim.empty()) {
        return fmt::format("device {} is given to the claims {} and {}", device(), entry.claim, claim->meta.name);
      }
      if (result.pool.starts_with(kPartsPool) && (units[result.pool] += result.device[0] - '0') > kPartUnits) {
        return fmt::format("the counter of pool {} is overdrawn by claim {}", result.pool, claim->meta.name);
      }
      if (!result.share_id) {
        if (entry.shares != 0) return fmt::format("device {} is shared and given to {}", device(), claim->meta.name);
        entry.claim = claim->meta.name;
        continue;
      }
      ++entry.shares;
      if (result.consumed_capacity) entry.memory.Add(*result.consumed_capacity->Find("memory"));
      if (entry.memory.Cmp(api::Quantity::FromInt(kMemory)) > 0) return fmt::format("device {} is overdrawn", device());
    }
  }
  return "";
}

std::string Checker::CheckNothingLeft() const {
  cluster::TableSizes sizes;
  core_.cluster().devices.AppendSizes(sizes);
  for (const cluster::TableSize& size : sizes) {
    if (size.table == "device selectors" || size.size == 0) continue;  // These are kept for the next claims.
    return fmt::format("everything is gone, but there are {} {}", size.size, size.table);
  }
  return core_.pods().size() == 0 ? "" : "everything is gone, but the core has pods";
}

}  // namespace berth::sim
