// SPDX-License-Identifier: Apache-2.0
// PoolSlice: a ResourceSlice ready for use: with the taints of DeviceTaintRules, its node selectors compiled, and the
// answers of selectors to its devices remembered.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/objects/resource_slice.h"
#include "api/parts/labels.h"
#include "base/result.h"
#include "cel/device.h"
#include "cluster/devices/device_selectors.h"

namespace berth::cluster {

// A node as slices see it.
struct SliceNode {
  std::string_view name;
  const api::Labels& labels;
};

// Whether expressions are told of a device that it may be allocated more than once, or see it as any other.
enum class Sharing : bool { kHidden, kShown };

// A device as expressions see it. The views in it are of `device` and `driver`.
cel::Device ToCel(std::string_view driver, const api::Device& device, Sharing sharing = Sharing::kShown);

class PoolSlice {
 public:
  explicit PoolSlice(std::shared_ptr<const api::ResourceSlice> slice);
  PoolSlice(const PoolSlice&) = delete;
  PoolSlice& operator=(const PoolSlice&) = delete;

  const api::ResourceSlice& slice() const { return *slice_; }
  const api::ResourceSlice* operator->() const { return slice_.get(); }
  bool per_device_selection() const { return slice_->per_device_node_selection.value_or(false); }
  // Some device says with which others it goes together.
  bool has_compatibility_groups() const { return has_compatibility_groups_; }
  // The node to which all devices belong, or an empty text.
  std::string_view node_name() const {
    return slice_->nodes.node_name ? std::string_view(*slice_->nodes.node_name) : std::string_view();
  }

  // Whether something of the slice can be reached from the node. Fails if a node selector is invalid.
  Result<bool> IsFor(const SliceNode& node) const;
  // The same for a device of a slice with per-device selection.
  Result<bool> DeviceIsFor(size_t device, const SliceNode& node) const;

  // Whether the selector, which must have compiled, matches the device; or its run-time error.
  Result<bool> Matches(const CompiledSelector& selector, size_t device, Sharing sharing = Sharing::kShown) const;

 private:
  enum class Answer : uint8_t { kUnknown, kYes, kNo };
  struct Nodes {
    std::optional<api::NodeSelectorMatcher> matcher;
    std::string error;
  };
  static constexpr size_t kSelectorsMax = 32;  // Whose answers are remembered.

  static Nodes Compile(const api::NodeSelection& selection);
  static Result<bool> Match(const api::NodeSelection& selection, const Nodes& nodes, const SliceNode& node);

  std::shared_ptr<const api::ResourceSlice> slice_;
  Nodes nodes_;
  std::vector<Nodes> device_nodes_;  // With per-device selection only.
  bool has_compatibility_groups_ = false;
  bool has_shared_devices_ = false;
  mutable boost::unordered_flat_map<std::pair<uint64_t, Sharing>, std::vector<Answer>> answers_;  // By selector's id.
};
using PoolSlicePtr = std::shared_ptr<const PoolSlice>;

}  // namespace berth::cluster
