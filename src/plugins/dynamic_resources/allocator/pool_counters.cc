// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/pool_counters.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::plugins {
namespace {

void Change(api::ResourceList& list, const std::string& name, const api::Quantity& amount, bool subtract) {
  const api::Quantity* present = list.Find(name);
  api::Quantity changed = present == nullptr ? api::Quantity() : *present;
  if (subtract) {
    changed.Sub(amount);
  } else {
    changed.Add(amount);
  }
  list.Set(name, std::move(changed));
}

std::vector<std::string> SortedGroups(std::vector<std::string> groups) {
  std::ranges::sort(groups);
  const auto repeated = std::ranges::unique(groups);
  groups.erase(repeated.begin(), repeated.end());
  return groups;
}

std::vector<std::string> Intersection(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return common;
}

// What the device takes of a counter.
api::Quantity AmountOf(const api::Device& device, const std::string& set, const std::string& name) {
  api::Quantity amount;
  for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
    const api::Quantity* one = consumption.counter_set == set ? consumption.counters.Find(name) : nullptr;
    if (one != nullptr) amount.Add(*one);
  }
  return amount;
}

}  // namespace

bool PoolCounters::Groups::Admits(const std::vector<std::string>& groups) const {
  if (!has_members) return true;
  if (groups.empty() || all_empty) return groups.empty() && all_empty;
  return !Intersection(common, SortedGroups(groups)).empty();
}

void PoolCounters::Groups::Add(const std::vector<std::string>& groups) {
  if (!has_members) {
    has_members = true;
    all_empty = groups.empty();
    common = SortedGroups(groups);
  } else if (!all_empty && !groups.empty()) {
    common = Intersection(common, SortedGroups(groups));
  }
}

PoolCounters::PoolCounters(const cluster::ResourcePool& pool, const cluster::DeviceUses& uses,
                           bool compatibility_groups)
    : compatibility_groups_(compatibility_groups) {
  for (const auto& [name, counters] : pool.counter_sets) available_[name] = counters->counters;
  const cluster::PoolUse* used = uses.Find(pool.id);
  if (used == nullptr) return;
  for (const auto* slices : {&pool.slices, &pool.other_slices}) {
    for (const cluster::PoolSlicePtr& slice : *slices) {
      for (const api::Device& device : (*slice)->devices) {
        if (device.consumes_counters.empty() || !used->contains(device.name)) continue;
        for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
          api::ResourceList& left = available_[consumption.counter_set];
          for (const auto& [name, amount] : consumption.counters) Change(left, name, amount, true);
          groups_[consumption.counter_set].Add(consumption.compatibility_groups);
        }
      }
    }
  }
}

bool PoolCounters::TakeGroups(const api::Device& device) {
  earlier_.push_back(groups_);
  for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
    Groups& groups = groups_[consumption.counter_set];
    if (!groups.Admits(consumption.compatibility_groups)) {
      groups_ = std::move(earlier_.back());
      earlier_.pop_back();
      return false;
    }
    groups.Add(consumption.compatibility_groups);
  }
  return true;
}

void PoolCounters::Consume(const api::Device& device, bool give_back) {
  for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
    api::ResourceList& taken = taken_[consumption.counter_set];
    for (const auto& [name, amount] : consumption.counters) Change(taken, name, amount, give_back);
  }
}

bool PoolCounters::IsOverdrawn() const {
  for (const auto& [set, counters] : available_) {
    const auto taken = taken_.find(set);
    for (const auto& [name, available] : counters) {
      const api::Quantity* amount = taken == taken_.end() ? nullptr : taken->second.Find(name);
      if (available.Cmp(amount == nullptr ? api::Quantity() : *amount) < 0) return true;
    }
  }
  return false;
}

bool PoolCounters::Take(const api::Device& device) {
  if (compatibility_groups_ && !TakeGroups(device)) return false;
  Consume(device, false);
  if (!IsOverdrawn()) return true;
  GiveBack(device);
  return false;
}

void PoolCounters::GiveBack(const api::Device& device) {
  Consume(device, true);
  if (!compatibility_groups_) return;
  groups_ = std::move(earlier_.back());
  earlier_.pop_back();
}

bool PoolCounters::Has(const api::Device& device) {
  if (!Take(device)) return false;
  GiveBack(device);
  return true;
}

bool PoolCounters::SufficesFor(const std::vector<const api::Device*>& devices, int64_t count) const {
  if (std::cmp_less(devices.size(), count)) return false;
  for (const auto& [set, counters] : available_) {
    for (const auto& [name, available] : counters) {
      std::vector<api::Quantity> amounts;
      for (const api::Device* device : devices) amounts.push_back(AmountOf(*device, set, name));
      std::ranges::sort(amounts, [](const api::Quantity& a, const api::Quantity& b) { return a.Cmp(b) < 0; });
      api::Quantity sum = TakenOf(set, name);
      for (int64_t i = 0; i < count; ++i) sum.Add(amounts[static_cast<size_t>(i)]);
      if (available.Cmp(sum) < 0) return false;
    }
  }
  return SharesSuffice(devices, count);
}

bool PoolCounters::SharesSuffice(const std::vector<const api::Device*>& devices, int64_t count) const {
  constexpr double kRounding = 1e-9;  // Far more than all that is lost by computing with doubles.
  std::vector<double> shares(devices.size());
  double left = 0;
  for (const auto& [set, counters] : available_) {
    for (const auto& [name, quantity] : counters) {
      const double available = quantity.AsApproximateFloat();
      if (available <= 0) continue;
      left += 1 - TakenOf(set, name).AsApproximateFloat() / available;
      for (size_t i = 0; i < devices.size(); ++i) {
        shares[i] += AmountOf(*devices[i], set, name).AsApproximateFloat() / available;
      }
    }
  }
  std::ranges::sort(shares);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += shares[static_cast<size_t>(i)];
  return sum <= left + kRounding * (1 + sum);
}

api::Quantity PoolCounters::TakenOf(const std::string& set, const std::string& name) const {
  const auto taken = taken_.find(set);
  const api::Quantity* present = taken == taken_.end() ? nullptr : taken->second.Find(name);
  return present == nullptr ? api::Quantity() : *present;
}

std::string PoolCounters::Taken() const {
  std::string text;
  for (const auto& [set, counters] : taken_) {
    for (const auto& [name, amount] : counters) {
      if (amount.IsZero()) continue;
      for (const std::string& part : {set, name, amount.String()}) (text += part) += '\n';
    }
  }
  return text;
}

}  // namespace berth::plugins
