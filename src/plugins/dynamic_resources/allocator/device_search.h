// SPDX-License-Identifier: Apache-2.0
// DeviceSearch: finds devices for all requests of some claims on one node, the same ones that upstream finds.
//
// It goes depth first through claims, requests, alternatives and devices, in order, takes every device that can be had,
// and goes back when it gets stuck; the first solution counts. That takes time exponential in the number of devices
// where many of them are alike and a later request cannot be served. So a search that looks at many devices begins
// again with a SearchMemory, which passes over what is known not to lead anywhere; it finds the same solution, if there
// is one. A search that looks at too many all the same is given up.
//
// Cost: bounded by the looks in Limits, each at most about 0.5 us.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugins/dynamic_resources/allocator/candidate_devices.h"
#include "plugins/dynamic_resources/allocator/derived_attributes.h"
#include "plugins/dynamic_resources/allocator/pool_counters.h"
#include "plugins/dynamic_resources/allocator/prepared_claims.h"

namespace berth::plugins {

class SearchMemory;

struct ChosenDevice {
  const PreparedRequest* request = nullptr;
  uint32_t device = 0;    // In CandidateDevices::devices.
  bool is_share = false;  // Others may have a part of it too.
  api::ResourceList consumed;
};

// What is being allocated of a device in this search.
struct DeviceInSearch {
  std::vector<uint32_t> claims;  // To which the whole of it goes. More than one only with admin access.
  int32_t shares = 0;
  api::ResourceList consumed;  // By them.

  bool operator==(const DeviceInSearch&) const = default;
};

class DeviceSearch {
 public:
  enum class Outcome : uint8_t { kFound, kNothing, kError, kGaveUp };

  // In looks at a device; what one takes does not depend on how many devices and requests there are.
  struct Limits {
    uint64_t plain_looks = 10'000;  // Before a memory is made.
    uint64_t looks_max = 500'000;   // After that, with a memory or, where there can be none, without.
    uint32_t depth_max = 2'000;     // Of devices that are being allocated.
  };

  // All that is referred to must outlive the search. `node_features`: what the node declares.
  DeviceSearch(const CandidateDevices& candidates, const DeviceMatcher& matcher, std::span<PreparedClaim> claims,
               const cluster::DeviceUses& uses, std::span<const std::string> node_features, const Limits& limits);
  ~DeviceSearch();
  DeviceSearch(const DeviceSearch&) = delete;
  DeviceSearch& operator=(const DeviceSearch&) = delete;

  Outcome Run();

  // kFound: by claim, in the order chosen.
  const std::vector<std::vector<ChosenDevice>>& chosen() const { return chosen_; }
  // kError: why.
  const std::string& error() const { return error_; }
  // Of the last run, with a memory or without.
  uint64_t looks() const { return looks_; }

 private:
  friend class SearchMemory;

  enum class Step : uint8_t {
    kFound,
    kNothing,
    kTooMany,  // The claim would get more devices than it may have, whatever they are.
    kError,
    kGaveUp,
  };
  struct Position {
    uint32_t claim = 0;
    uint32_t request = 0;
    uint32_t alternative = 0;
    int64_t count = 0;   // Devices that the request has.
    uint32_t start = 0;  // The first device to look at.
  };

  Step Search(uint64_t looks_limit);
  bool MustGiveUp() const { return looks_ > looks_limit_ || depth_ > limits_.depth_max; }
  Step AllocateClaim(uint32_t claim);
  Step AllocateRequest(uint32_t claim, uint32_t request);
  Step AllocateDevices(const Position& at);
  Step AllocateNext(const Position& at, const PreparedRequest& request);
  Step TakeAll(const Position& at, const PreparedRequest& request);

  // Whether the device can be had and was taken; an error is in error_.
  enum class Taken : uint8_t { kYes, kNo, kError };
  Taken Try(const Position& at, const PreparedRequest& request, uint32_t device);
  Taken Take(const Position& at, const PreparedRequest& request, uint32_t device, bool must);
  Taken AddToConstraints(const PreparedRequest& request, uint32_t device, bool must);
  // Undoes Take.
  void GiveBack(const Position& at, const PreparedRequest& request, uint32_t device);
  void LeaveConstraints(const PreparedRequest& request, size_t count);

  bool IsInUse(const PreparedRequest& request, uint32_t claim, uint32_t device) const;
  bool MayBeShared(uint32_t device) const;
  bool NodeCanDoWithout(uint32_t device) const;
  bool HasCapacity(uint32_t device, const api::ResourceList& consumed) const;
  // The counters of the device's pool that it is to take from; null: none.
  PoolCounters* CountersFor(uint32_t device, bool is_first_share);
  // Cached by request and device. Null with an error in error_.
  std::optional<bool> IsSelectable(const PreparedRequest& request, uint32_t device);
  Taken Consumption(const PreparedRequest& request, uint32_t device, const api::ResourceList*& consumed);
  Taken Failed(std::string error);

  struct Answers {
    std::vector<uint8_t> selectable;                                // 0: not asked yet, 1: no, 2: yes.
    std::map<uint32_t, std::optional<api::ResourceList>> consumed;  // By device.
  };

  const CandidateDevices& candidates_;
  const DeviceMatcher& matcher_;
  std::span<PreparedClaim> claims_;
  const cluster::DeviceUses& uses_;
  std::span<const std::string> node_features_;
  const Limits limits_;
  DerivedAttributes attributes_;
  std::vector<DeviceInSearch> in_search_;      // By device.
  std::map<uint32_t, PoolCounters> counters_;  // By pool.
  std::map<const PreparedRequest*, Answers> answers_;
  std::vector<std::vector<ChosenDevice>> chosen_;
  std::unique_ptr<SearchMemory> memory_;
  uint64_t looks_ = 0;
  uint64_t looks_limit_ = 0;
  uint32_t depth_ = 0;
  std::string error_;
};

}  // namespace berth::plugins
