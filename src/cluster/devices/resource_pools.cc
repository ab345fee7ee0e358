// SPDX-License-Identifier: Apache-2.0
#include "cluster/devices/resource_pools.h"

#include <algorithm>
#include <iterator>

#include <boost/unordered/unordered_flat_set.hpp>

namespace berth::cluster {
namespace {

PoolId IdOf(const api::ResourceSlice& slice) { return {slice.driver, slice.pool.name}; }

bool Covers(const api::DeviceTaintRule& rule, const api::ResourceSlice& slice, const api::Device& device) {
  const auto& selector = rule.device_selector;
  return selector && (!selector->driver || *selector->driver == slice.driver) &&
         (!selector->pool || *selector->pool == slice.pool.name) &&
         (!selector->device || *selector->device == device.name);
}

bool DeviceNamesAreUnique(const std::vector<PoolSlicePtr>& slices) {
  boost::unordered_flat_set<std::string_view> names;
  return std::ranges::all_of(slices, [&](const PoolSlicePtr& slice) {
    return std::ranges::all_of((*slice)->devices,
                               [&](const api::Device& device) { return names.insert(device.name).second; });
  });
}

// Whether the counters that devices consume exist.
bool CountersExist(const ResourcePool& pool, const std::vector<PoolSlicePtr>& slices) {
  const auto exists = [&](const api::DeviceCounterConsumption& consumption) {
    const auto found = pool.counter_sets.find(consumption.counter_set);
    return found != pool.counter_sets.end() && std::ranges::all_of(consumption.counters, [&](const auto& counter) {
             return found->second->counters.Find(counter.first) != nullptr;
           });
  };
  return std::ranges::all_of(slices, [&](const PoolSlicePtr& slice) {
    return std::ranges::all_of((*slice)->devices, [&](const api::Device& device) {
      return std::ranges::all_of(device.consumes_counters, exists);
    });
  });
}

bool HasBindingConditions(const std::vector<PoolSlicePtr>& slices) {
  return std::ranges::any_of(slices, [](const PoolSlicePtr& slice) {
    return std::ranges::any_of((*slice)->devices,
                               [](const api::Device& device) { return !device.binding_conditions.empty(); });
  });
}

}  // namespace

void ResourcePools::SliceChanged(const SlicePtr& before, const SlicePtr& after) {
  if (before != nullptr) Remove(*before);
  if (before != nullptr) slices_.Erase(before->meta.name);
  if (after != nullptr) {
    slices_[after->meta.name] = after;
    Add(WithRules(after));
  }
  if (before != nullptr) ForgetNode(before->nodes.node_name.value_or(""));
}

void ResourcePools::RuleChanged(const RulePtr& before, const RulePtr& after) {
  changed_by_rule_.clear();
  if (!options_.taint_rules) return;
  if (before != nullptr) rules_.erase(before->meta.name);
  if (after != nullptr) rules_.insert_or_assign(after->meta.name, after);
  for (const auto& [name, slice] : slices_) {
    const PoolSlicePtr known = (*pools_.Find(IdOf(*slice)))->slices.at(name);
    SlicePtr tainted = WithRules(slice);
    if (*tainted == known->slice()) continue;
    changed_by_rule_.emplace_back(std::make_shared<const api::ResourceSlice>(known->slice()), tainted);
    Remove(*slice);
    Add(tainted);
  }
}

ResourcePools::SlicePtr ResourcePools::WithRules(const SlicePtr& slice) const {
  std::shared_ptr<api::ResourceSlice> tainted;
  for (const auto& [name, rule] : rules_) {
    for (size_t i = 0; i < slice->devices.size(); ++i) {
      if (!Covers(*rule, *slice, slice->devices[i])) continue;
      if (tainted == nullptr) tainted = std::make_shared<api::ResourceSlice>(*slice);
      tainted->devices[i].taints.push_back(rule->taint);
    }
  }
  return tainted == nullptr ? slice : tainted;
}

void ResourcePools::Add(const SlicePtr& slice) {
  const PoolId id = IdOf(*slice);
  auto made = std::make_shared<const PoolSlice>(slice);
  Pool& pool = pools_[id].Edit();
  pool.seen.clear();
  if (made->node_name().empty()) {
    ++pool.shared_count;
    shared_pools_.insert(id);
  } else {
    ++node_pools_[std::string(made->node_name())].slices[id];
  }
  pool.slices.insert_or_assign(slice->meta.name, std::move(made));
  PoolChanged(pool);
}

void ResourcePools::Remove(const api::ResourceSlice& slice) {
  const PoolId id = IdOf(slice);
  Pool& pool = pools_.Edit(id)->Edit();
  const auto found = pool.slices.find(slice.meta.name);
  const std::string node_name(found->second->node_name());
  PoolChanged(pool);
  pool.seen.clear();
  pool.slices.erase(found);
  if (node_name.empty()) {
    if (--pool.shared_count == 0) shared_pools_.erase(id);
  } else {
    std::map<PoolId, size_t>& own = node_pools_.Edit(node_name)->slices;
    const auto count = own.find(id);
    if (--count->second == 0) own.erase(count);
  }
  if (pool.slices.empty()) pools_.Erase(id);
}

void ResourcePools::ForgetNode(const std::string& name) {
  const NodePools* node = node_pools_.Find(name);
  if (node == nullptr || !node->slices.empty()) return;
  node_pools_.Erase(name);
  EverythingChanged();  // When this one has changed is forgotten too.
}

void ResourcePools::PoolChanged(const Pool& pool) {
  if (pool.shared_count > 0 || pool.slices.size() > kFewSlices) return EverythingChanged();
  ++change_count_;
  for (const auto& [name, slice] : pool.slices) node_pools_.Edit(slice->node_name())->changed = change_count_;
}

void ResourcePools::UseChanged(const PoolId& id) {
  if (const CopyOnWrite<Pool>* pool = pools_.Find(id)) PoolChanged(**pool);
}

uint64_t ResourcePools::LastChangeFor(std::string_view node) const {
  const NodePools* own = node_pools_.Find(node);
  return own == nullptr ? everything_changed_ : std::max(everything_changed_, own->changed);
}

bool ResourcePools::IsUsed(const PoolSlice& slice) const {
  if (!options_.partitionable_devices &&
      (slice->per_device_node_selection.has_value() || !slice->shared_counters.empty())) {
    return false;
  }
  return options_.compatibility_groups || !slice.has_compatibility_groups();
}

Result<std::vector<PoolSlicePtr>> ResourcePools::NewestFor(const Pool& pool, const SliceNode& node) const {
  std::vector<PoolSlicePtr> newest;
  const auto look = [&](const PoolSlicePtr& slice) -> Result<void> {
    if (!IsUsed(*slice)) return {};
    const bool always = options_.stable_allocator() && !(*slice)->shared_counters.empty();
    if (!always && !BERTH_TRY(slice->IsFor(node))) return {};
    if (!newest.empty() && (*slice)->pool.generation < (*newest.front())->pool.generation) return {};
    if (!newest.empty() && (*slice)->pool.generation > (*newest.front())->pool.generation) newest.clear();
    newest.push_back(slice);
    return {};
  };
  // Those that belong to the node come first: where slices disagree about their number, the first one counts.
  for (const auto& [name, slice] : pool.slices) {
    if (!slice->node_name().empty()) BERTH_CHECK_OK(look(slice));
  }
  for (const auto& [name, slice] : pool.slices) {
    if (slice->node_name().empty()) BERTH_CHECK_OK(look(slice));
  }
  return newest;
}

ResourcePoolPtr ResourcePools::See(const PoolId& id, const Pool& pool, const std::vector<PoolSlicePtr>& slices) const {
  std::vector<const PoolSlice*> key;
  for (const PoolSlicePtr& slice : slices) key.push_back(slice.get());
  if (const auto found = pool.seen.find(key); found != pool.seen.end()) return found->second;
  ResourcePoolPtr made = Assemble(id, pool, slices);
  if (pool.seen.size() >= kSeenMax) pool.seen.clear();
  pool.seen.emplace(std::move(key), made);
  return made;
}

ResourcePoolPtr ResourcePools::Assemble(const PoolId& id, const Pool& pool,
                                        const std::vector<PoolSlicePtr>& slices) const {
  auto made = std::make_shared<ResourcePool>();
  made->id = id;
  const api::ResourceSlice::Pool& first = (*slices.front())->pool;
  if (std::cmp_equal(slices.size(), first.resource_slice_count)) {
    Fill(*made, slices, {});
    return made;
  }
  // Slices for other nodes may make it complete, or say that it is out of date.
  std::vector<PoolSlicePtr> all;
  for (const auto& [name, slice] : pool.slices) {
    if ((*slice)->pool.generation > first.generation) return nullptr;
    if ((*slice)->pool.generation < first.generation) continue;
    if (options_.compatibility_groups || !slice->has_compatibility_groups()) all.push_back(slice);
  }
  if (std::cmp_equal(all.size(), first.resource_slice_count)) {
    Fill(*made, slices, all);
  } else {
    made->is_incomplete = true;
  }
  return made;
}

void ResourcePools::Fill(ResourcePool& pool, const std::vector<PoolSlicePtr>& slices,
                         const std::vector<PoolSlicePtr>& all) const {
  const auto by_name = [](const PoolSlicePtr& a, const PoolSlicePtr& b) { return (*a)->meta.name < (*b)->meta.name; };
  const auto sort_in = [&](const PoolSlicePtr& slice, std::vector<PoolSlicePtr>& devices) {
    const bool has_counters = options_.partitionable_devices && !(*slice)->shared_counters.empty();
    (has_counters ? pool.counter_slices : devices).push_back(slice);
  };
  for (const PoolSlicePtr& slice : slices) sort_in(slice, pool.slices);
  std::ranges::sort(pool.slices, by_name);
  for (const PoolSlicePtr& slice : all) {
    if (std::ranges::find(slices, slice) == slices.end()) sort_in(slice, pool.other_slices);
  }
  pool.is_invalid = !DeviceNamesAreUnique(pool.slices);
  if (options_.partitionable_devices) {
    for (const PoolSlicePtr& slice : pool.counter_slices) {
      for (const api::CounterSet& counters : (*slice)->shared_counters) {
        pool.is_invalid |= !pool.counter_sets.emplace(counters.name, &counters).second;
      }
    }
    pool.is_invalid |= !CountersExist(pool, pool.slices) || !CountersExist(pool, pool.other_slices);
  }
  pool.has_binding_conditions = !pool.is_invalid && !options_.stable_allocator() && HasBindingConditions(pool.slices);
}

Result<std::vector<ResourcePoolPtr>> ResourcePools::For(const SliceNode& node) const {
  std::vector<const PoolId*> ids;
  for (const PoolId& id : shared_pools_) ids.push_back(&id);
  if (const NodePools* own = node_pools_.Find(node.name)) {
    for (const auto& [id, count] : own->slices) {
      if (!shared_pools_.contains(id)) ids.push_back(&id);
    }
  }
  std::ranges::sort(ids, {}, [](const PoolId* id) -> const PoolId& { return *id; });
  std::vector<ResourcePoolPtr> plain;
  std::vector<ResourcePoolPtr> with_conditions;
  for (const PoolId* id : ids) {
    const Pool& pool = **pools_.Find(*id);
    const std::vector<PoolSlicePtr> slices = BERTH_TRY(NewestFor(pool, node));
    if (slices.empty()) continue;
    ResourcePoolPtr seen = See(*id, pool, slices);
    if (seen != nullptr) (seen->has_binding_conditions ? with_conditions : plain).push_back(std::move(seen));
  }
  std::ranges::move(with_conditions, std::back_inserter(plain));
  return plain;
}

std::vector<PoolSlicePtr> ResourcePools::SlicesFor(const SliceNode& node) const {
  std::vector<PoolSlicePtr> slices;
  const auto add = [&](const PoolId& id, bool shared) {
    for (const auto& [name, slice] : (*pools_.Find(id))->slices) {
      if (shared ? slice->node_name().empty() : slice->node_name() == node.name) slices.push_back(slice);
    }
  };
  if (const NodePools* own = node_pools_.Find(node.name)) {
    for (const auto& [id, count] : own->slices) add(id, false);
  }
  for (const PoolId& id : shared_pools_) add(id, true);
  return slices;
}

const api::Device* ResourcePools::FindDevice(const PoolId& id, std::string_view device) const {
  const CopyOnWrite<Pool>* pool = pools_.Find(id);
  if (pool == nullptr) return nullptr;
  for (const auto& [name, slice] : (*pool)->slices) {
    for (const api::Device& candidate : (*slice)->devices) {
      if (candidate.name == device) return &candidate;
    }
  }
  return nullptr;
}

void ResourcePools::AppendSizes(TableSizes& sizes) const {
  sizes.insert(sizes.end(), {{"resource pools", pools_.size()},
                             {"resource slices", slices_.size()},
                             {"device taint rules", rules_.size()},
                             {"nodes with resource slices", node_pools_.size()},
                             {"resource pools for many nodes", shared_pools_.size()}});
}

}  // namespace berth::cluster
