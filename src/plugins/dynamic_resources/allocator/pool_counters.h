// SPDX-License-Identifier: Apache-2.0
// PoolCounters: the shared counters of one pool during a search: what is left of them and what the devices that are
// being allocated take.
//
// Devices of a pool may be parts of one thing and then consume the same counters; a set of them can be allocated if no
// counter is overdrawn. With compatibility groups, devices that consume counters of one set must also have a group in
// common, or none at all.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"

namespace berth::plugins {

class PoolCounters {
 public:
  // What devices that are allocated take is gone already.
  PoolCounters(const cluster::ResourcePool& pool, const cluster::DeviceUses& uses, bool compatibility_groups);

  // Takes what the device consumes; false, and nothing is taken, if that is not left.
  bool Take(const api::Device& device);
  // REQUIRES: the device was the last one taken and not given back.
  void GiveBack(const api::Device& device);

  // Whether Take would succeed.
  bool Has(const api::Device& device);
  // Whether there may be enough for so many of the devices: of each counter, for those that take the least of it, and
  // of all counters together, for those that take the smallest shares.
  bool SufficesFor(const std::vector<const api::Device*>& devices, int64_t count) const;
  // What was taken, as a text that is equal for equal amounts.
  std::string Taken() const;

 private:
  // The groups that all devices on a counter set have in common.
  struct Groups {
    bool has_members = false;
    bool all_empty = false;
    std::vector<std::string> common;  // Sorted.

    bool Admits(const std::vector<std::string>& groups) const;
    void Add(const std::vector<std::string>& groups);
  };
  using Amounts = std::map<std::string, api::ResourceList, std::less<>>;

  bool TakeGroups(const api::Device& device);
  void Consume(const api::Device& device, bool give_back);
  bool IsOverdrawn() const;
  bool SharesSuffice(const std::vector<const api::Device*>& devices, int64_t count) const;

  // What was taken of a counter.
  api::Quantity TakenOf(const std::string& set, const std::string& name) const;

  Amounts available_;  // By counter set. May be negative.
  Amounts taken_;
  bool compatibility_groups_;
  std::map<std::string, Groups, std::less<>> groups_;                // By counter set.
  std::vector<std::map<std::string, Groups, std::less<>>> earlier_;  // Before each device that was taken.
};

}  // namespace berth::plugins
