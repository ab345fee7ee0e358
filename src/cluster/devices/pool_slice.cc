// SPDX-License-Identifier: Apache-2.0
#include "cluster/devices/pool_slice.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/overloaded.h"

namespace berth::cluster {

cel::Device ToCel(std::string_view driver, const api::Device& device, Sharing sharing) {
  cel::Device seen(driver, sharing == Sharing::kShown && device.allow_multiple_allocations);
  for (const auto& [name, attribute] : device.attributes) {
    std::visit(Overloaded{
                   [&](std::monostate) { seen.AddUnset(name); },
                   [&](bool value) { seen.AddBool(name, value); },
                   [&](int64_t value) { seen.AddInt(name, value); },
                   [&](const std::string& value) { seen.AddString(name, value); },
                   [&](const api::DeviceAttribute::Version& value) { seen.AddVersion(name, value.text); },
                   [&](const std::vector<bool>& values) { seen.AddBools(name, values); },
                   [&](const std::vector<int64_t>& values) { seen.AddInts(name, values); },
                   [&](const std::vector<std::string>& values) { seen.AddStrings(name, values); },
                   [&](const api::DeviceAttribute::Versions& values) { seen.AddVersions(name, values.texts); },
               },
               attribute.value);
  }
  for (const auto& [name, capacity] : device.capacity) seen.AddCapacity(name, capacity.value);
  return seen;
}

PoolSlice::PoolSlice(std::shared_ptr<const api::ResourceSlice> slice) : slice_(std::move(slice)) {
  nodes_ = Compile(slice_->nodes);
  if (per_device_selection()) {
    for (const api::Device& device : slice_->devices) device_nodes_.push_back(Compile(device.nodes));
  }
  for (const api::Device& device : slice_->devices) {
    has_compatibility_groups_ |= std::ranges::any_of(
        device.consumes_counters, [](const auto& consumption) { return !consumption.compatibility_groups.empty(); });
    has_shared_devices_ |= device.allow_multiple_allocations;
  }
}

PoolSlice::Nodes PoolSlice::Compile(const api::NodeSelection& selection) {
  Nodes nodes;
  if (!selection.node_selector) return nodes;
  nodes.matcher.emplace(*selection.node_selector);
  for (const api::NodeSelectorMatcher::Term& term : nodes.matcher->terms()) {
    if (nodes.error.empty()) nodes.error = term.error;
  }
  return nodes;
}

Result<bool> PoolSlice::Match(const api::NodeSelection& selection, const Nodes& nodes, const SliceNode& node) {
  if (selection.node_name && !selection.node_name->empty()) return *selection.node_name == node.name;
  if (selection.all_nodes) return true;
  if (!nodes.matcher) return false;
  if (!nodes.error.empty()) return Invalid("failed to parse node selector: " + nodes.error);
  return nodes.matcher->Matches(node.labels, node.name);
}

Result<bool> PoolSlice::IsFor(const SliceNode& node) const {
  const api::NodeSelection& selection = slice_->nodes;
  if (!node_name().empty() || selection.all_nodes || selection.node_selector) {
    const Result<bool> matches = Match(selection, nodes_, node);
    if (matches) return matches;
    return Invalid(
        fmt::format("failed to perform node selection for slice {}: {}", slice_->meta.name, matches.error().message));
  }
  if (!per_device_selection()) return false;  // Of a kind that is not known.
  for (size_t i = 0; i < slice_->devices.size(); ++i) {
    const Result<bool> matches = DeviceIsFor(i, node);
    if (!matches) {
      return Invalid(fmt::format("failed to perform node selection for device {} in slice {}: {}",
                                 slice_->devices[i].name, slice_->meta.name, matches.error().message));
    }
    if (*matches) return true;
  }
  return false;
}

Result<bool> PoolSlice::DeviceIsFor(size_t device, const SliceNode& node) const {
  return Match(slice_->devices[device].nodes, device_nodes_[device], node);
}

Result<bool> PoolSlice::Matches(const CompiledSelector& selector, size_t device, Sharing sharing) const {
  if (!has_shared_devices_) sharing = Sharing::kHidden;  // There is nothing to tell.
  const std::pair key(selector.id, sharing);
  if (answers_.size() >= kSelectorsMax && !answers_.contains(key)) answers_.clear();
  std::vector<Answer>& answers = answers_[key];
  answers.resize(slice_->devices.size(), Answer::kUnknown);
  if (answers[device] != Answer::kUnknown) return answers[device] == Answer::kYes;
  const Result<bool> matches = selector.expression->Matches(ToCel(slice_->driver, slice_->devices[device], sharing));
  if (matches) answers[device] = *matches ? Answer::kYes : Answer::kNo;
  return matches;
}

}  // namespace berth::cluster
