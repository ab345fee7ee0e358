// SPDX-License-Identifier: Apache-2.0
// SearchMemory: what a search for devices need not try.
//
// - Devices that no request can tell apart are of one kind: where one led nowhere, the others do not either.
// - Where the search has been before, with as many devices of each kind gone and the constraints in the same state, it
//   fails again.
// - Where the devices that are left cannot serve the requests that are left, each on its own, by their number, by the
//   values of an attribute or by a counter, no choice helps.
//
// None of this passes over a solution, nor over an error: there is a memory only where no error can come up. So the
// search finds what it would find without.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "plugins/dynamic_resources/allocator/device_search.h"

namespace berth::plugins {

class SearchMemory {
 public:
  // Nullptr if some expression or number makes the search fail with an error once it gets there, or if there are so
  // many requests and devices that to look at all of them costs more than it gains.
  static std::unique_ptr<SearchMemory> Make(DeviceSearch& search);
  // Whether nothing can be found, although there is no memory: a request comes that cannot be served even alone, before
  // any at which an error could come up.
  static bool IsInVain(DeviceSearch& search);

  // Whether the device is like one of those that have failed, also in what was taken of it.
  bool IsLikeOneOf(uint32_t device, const std::vector<uint32_t>& failed) const;

  // Everything that what comes from this request on depends on.
  std::string StateAt(uint32_t claim, uint32_t request) const;
  bool HasFailed(const std::string& state) const { return failures_.contains(state); }
  void NoteFailure(std::string state) {
    if (failures_.size() < kFailuresMax) failures_.insert(std::move(state));
  }

  // Whether what is left cannot suffice when the alternative has `count` devices and goes on with device `start`.
  bool IsHopeless(uint32_t claim, uint32_t request, uint32_t alternative, int64_t count, uint32_t start);

 private:
  static constexpr size_t kFailuresMax = 20'000;
  static constexpr size_t kPairsMax = 20'000;  // Of requests and devices.

  // A request that is still to be served, or one alternative of it.
  struct Need {
    const PreparedRequest* request = nullptr;
    uint32_t claim = 0;
    int64_t count = 0;
    uint32_t start = 0;            // Only devices from here on.
    std::vector<uint32_t> usable;  // Devices, each by itself.
  };
  // The alternatives of a request that is still to be served.
  using Choice = std::vector<Need>;

  explicit SearchMemory(DeviceSearch& search) : search_(search) {}
  bool Learn();
  // What requests can see of a device; false if an error comes up.
  bool Describe(uint32_t device, std::string& description);
  bool ComesToAnEnd();
  // These are nothing if an error comes up. Whether the device may serve the request if nothing else is allocated, and
  // what it would give; whether there are enough of such devices.
  std::optional<bool> IsUsableAlone(const PreparedRequest& request, uint32_t device,
                                    const api::ResourceList*& consumed);
  std::optional<bool> MayBeServedAlone(const PreparedRequest& request);
  bool IsEverUsable(const PreparedRequest& request, uint32_t device) const;
  bool IsUsable(const Need& need, uint32_t device);
  // What is left to do; false if one request alone cannot be served.
  bool GatherChoices(uint32_t claim, uint32_t request, uint32_t alternative, int64_t count, uint32_t start,
                     std::vector<Choice>& choices);
  bool FillNeed(Need& need);
  // Whether there are as many devices as all requests need.
  bool NumbersSuffice(const std::vector<Choice>& choices) const;
  bool ValuesSuffice(const std::vector<Choice>& choices);
  bool DistinctValuesSuffice(const DeviceConstraint& constraint, const std::vector<Choice>& choices);
  bool SomeValueSuffices(const DeviceConstraint& constraint, const std::vector<Choice>& choices);
  bool CountersSuffice(const std::vector<Choice>& choices);
  const std::string& ValueOf(const PreparedRequest& request, uint32_t device, const DeviceConstraint& constraint);

  DeviceSearch& search_;
  std::vector<uint32_t> kinds_;                 // By device.
  std::vector<uint32_t> last_users_;            // By kind: the last request that may use it, as a number.
  std::vector<std::vector<uint32_t>> numbers_;  // Of requests, by claim and request.
  std::map<const PreparedRequest*, std::vector<uint8_t>> usable_;                                          // By device.
  std::map<std::pair<const PreparedRequest*, const DeviceConstraint*>, std::vector<std::string>> values_;  // By device.
  std::unordered_set<std::string> failures_;
};

}  // namespace berth::plugins
