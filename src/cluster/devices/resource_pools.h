// SPDX-License-Identifier: Apache-2.0
// ResourcePools: the ResourceSlices, put together to pools as each node sees them.
//
// A driver publishes the devices of a pool in one or more slices, and replaces them by a new generation. A node sees
// the slices that are for it, of the newest generation among these; a pool of which a slice is missing is incomplete,
// one that contradicts itself invalid, and from neither are devices taken. What nodes with the same slices see is put
// together once, and again when a slice of the pool or a DeviceTaintRule has changed.
//
// Thread: core. Cost: a change touches one pool; a node looks at its own pools and at those that are for many nodes.

#pragma once

#include <compare>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/resource_slice.h"
#include "base/copy_on_write.h"
#include "cluster/devices/device_options.h"
#include "cluster/devices/pool_slice.h"
#include "cluster/tables/chunked_map.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"
#include "cluster/tables/table_size.h"

namespace berth::cluster {

struct PoolId {
  std::string driver;
  std::string pool;

  auto operator<=>(const PoolId&) const = default;
  std::string ToString() const { return driver + "/" + pool; }
};

// A pool as a node sees it.
struct ResourcePool {
  PoolId id;
  bool is_incomplete = false;
  bool is_invalid = false;
  bool has_binding_conditions = false;     // Some device for the node has.
  std::vector<PoolSlicePtr> slices;        // With devices for the node, by name.
  std::vector<PoolSlicePtr> other_slices;  // With devices for other nodes only.
  std::map<std::string, const api::CounterSet*, std::less<>> counter_sets;
  std::vector<PoolSlicePtr> counter_slices;  // That hold them.

  bool is_usable() const { return !is_incomplete && !is_invalid; }
};
using ResourcePoolPtr = std::shared_ptr<const ResourcePool>;

class ResourcePools {
 public:
  using SlicePtr = std::shared_ptr<const api::ResourceSlice>;
  using RulePtr = std::shared_ptr<const api::DeviceTaintRule>;

  explicit ResourcePools(const DeviceOptions& options) : options_(options) {}

  void SliceChanged(const SlicePtr& before, const SlicePtr& after);
  void RuleChanged(const RulePtr& before, const RulePtr& after);
  // The slices that the last change of a rule has changed, before and after.
  const std::vector<std::pair<SlicePtr, SlicePtr>>& changed_by_rule() const { return changed_by_rule_; }

  // The pools that the node sees, in the order in which devices are taken from them. Fails if a slice is broken.
  Result<std::vector<ResourcePoolPtr>> For(const SliceNode& node) const;
  // Every slice that may have devices for the node, of whatever generation, in no particular order.
  std::vector<PoolSlicePtr> SlicesFor(const SliceNode& node) const;

  // Counts changes. Of two numbers the greater one is the later change.
  uint64_t change_count() const { return change_count_; }
  // The last change of what the node sees.
  uint64_t LastChangeFor(std::string_view node) const;
  // Devices of the pool are given away, or given back.
  void UseChanged(const PoolId& id);
  // Something else has changed that nodes are judged by.
  void EverythingChanged() { everything_changed_ = ++change_count_; }

  // The device in the first slice that lists it, or nullptr.
  const api::Device* FindDevice(const PoolId& id, std::string_view device) const;

  void AppendSizes(TableSizes& sizes) const;

 private:
  struct Pool {
    std::map<std::string, PoolSlicePtr, std::less<>> slices;  // By name.
    size_t shared_count = 0;                                  // Of slices that name no node.
    // What nodes see, by the slices that are for them.
    mutable std::map<std::vector<const PoolSlice*>, ResourcePoolPtr> seen;
  };
  static constexpr size_t kSeenMax = 64;  // Of one pool.
  struct NodePools {
    std::map<PoolId, size_t> slices;  // How many of each pool name the node.
    uint64_t changed = 0;             // The last change of one of these pools.
  };
  static constexpr size_t kFewSlices = 16;

  SlicePtr WithRules(const SlicePtr& slice) const;
  void Add(const SlicePtr& slice);
  void Remove(const api::ResourceSlice& slice);
  void PoolChanged(const Pool& pool);
  // Forgets a node that no slice names any more.
  void ForgetNode(const std::string& name);
  bool IsUsed(const PoolSlice& slice) const;
  Result<std::vector<PoolSlicePtr>> NewestFor(const Pool& pool, const SliceNode& node) const;
  // Nullptr: the pool is being replaced.
  ResourcePoolPtr See(const PoolId& id, const Pool& pool, const std::vector<PoolSlicePtr>& slices) const;
  ResourcePoolPtr Assemble(const PoolId& id, const Pool& pool, const std::vector<PoolSlicePtr>& slices) const;
  void Fill(ResourcePool& pool, const std::vector<PoolSlicePtr>& slices, const std::vector<PoolSlicePtr>& all) const;

  DeviceOptions options_;
  ChunkedMap<std::string, SlicePtr> slices_;           // As they were reported, by name.
  std::map<std::string, RulePtr, std::less<>> rules_;  // By name.
  ChunkedMap<PoolId, CopyOnWrite<Pool>> pools_;
  ShardedMap<StringMap<NodePools>> node_pools_;
  std::set<PoolId> shared_pools_;  // With slices that name no node.
  uint64_t change_count_ = 0;
  uint64_t everything_changed_ = 0;  // The last change that all nodes may see.
  std::vector<std::pair<SlicePtr, SlicePtr>> changed_by_rule_;
};

}  // namespace berth::cluster
