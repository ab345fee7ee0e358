// SPDX-License-Identifier: Apache-2.0
// PreparedClaims: claims that are to be allocated, checked and ready for the search for devices on one node.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "plugins/dynamic_resources/allocator/candidate_devices.h"
#include "plugins/dynamic_resources/allocator/device_constraint.h"

namespace berth::plugins {

// Of devices for one claim.
inline constexpr int64_t kAllocationResultsMax = 32;

// A request, or one alternative of it.
struct PreparedRequest {
  const api::ResourceClaim* claim = nullptr;
  const api::ExactDeviceRequest* request = nullptr;
  const std::string* parent = nullptr;  // The request of which it is an alternative, or null.
  const api::DeviceClass* device_class = nullptr;
  std::vector<std::shared_ptr<const cluster::CompiledSelector>> class_selectors;
  std::vector<std::shared_ptr<const cluster::CompiledSelector>> selectors;
  bool wants_all = false;
  int64_t count = 0;
  std::vector<uint32_t> all_devices;           // With wants_all: positions in CandidateDevices::devices.
  std::vector<DeviceConstraint*> constraints;  // That cover it, in the order of the claim.

  bool is_admin() const { return request->admin_access.value_or(false); }
  // "request" or "request/alternative".
  std::string Name() const { return parent == nullptr ? request->name : *parent + "/" + request->name; }
};

struct PreparedClaim {
  const api::ResourceClaim* claim = nullptr;
  // Each has its alternatives; one that is no choice has one, without a parent.
  std::vector<std::vector<PreparedRequest>> requests;
  std::vector<std::unique_ptr<DeviceConstraint>> constraints;
};

// Answers questions about one device and one request that do not depend on what else is being allocated.
class DeviceMatcher {
 public:
  DeviceMatcher(const cluster::DeviceState& state, const CandidateDevices& candidates, const cluster::SliceNode& node)
      : state_(state), candidates_(candidates), node_(node) {}

  const cluster::DeviceOptions& options() const { return state_.options(); }

  // Whether class, selectors and node agree with the device. Fails with upstream's text if an expression does.
  Result<bool> IsSelectable(const PreparedRequest& request, uint32_t device) const;
  // Whether the device has no taint that the request does not tolerate.
  bool ToleratesTaints(const PreparedRequest& request, uint32_t device) const;
  // What the request consumes of the device; nothing if the device cannot serve it. Fails with upstream's text.
  Result<std::optional<api::ResourceList>> Consumes(const PreparedRequest& request, uint32_t device) const;

 private:
  Result<bool> SelectorsMatch(const PreparedRequest& request, bool of_class, const CandidateDevice& device) const;

  const cluster::DeviceState& state_;
  const CandidateDevices& candidates_;
  cluster::SliceNode node_;
};

// Fails with upstream's text if a claim cannot be allocated whatever the devices.
Result<std::vector<PreparedClaim>> PrepareClaims(std::span<const api::ResourceClaim* const> claims,
                                                 const cluster::Cluster& cluster, const CandidateDevices& candidates,
                                                 const DeviceMatcher& matcher);

}  // namespace berth::plugins
