// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_volume_limits/node_volume_limits.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plugins/node_volume_limits/attached_volumes.h"

namespace berth::plugins {
namespace {

using framework::Status;
using framework::StatusCode;
using framework::Verdict;

// What the pod needs on one kind of node; the same for all nodes of the kind.
struct Needs {
  Status status;                              // Why the volumes could not be told.
  std::vector<CsiVolumeId> volumes;           // Sorted, unique.
  std::vector<std::string> required_drivers;  // Those that have to be installed; sorted.
};

struct NodeVolumeLimitsState : framework::PluginState {
  Needs without_drivers;
  Needs with_drivers;
  std::optional<AttachmentsByNode> attachments;  // Read when first needed.
};

bool MustBeInstalled(const std::string& driver, const cluster::Objects& objects) {
  const api::CsiDriver* found = objects.csi_drivers.Find("", driver);
  return found != nullptr && found->prevent_pod_scheduling_if_missing.value_or(false);
}

Needs ReadNeeds(const framework::Cycle& cycle, NodeDrivers drivers, bool check_installed) {
  const cluster::Objects& objects = cycle.cluster().objects;
  Needs needs;
  needs.status = AppendCsiVolumes(cycle.pod(), PodPlace::kPending, drivers, objects, needs.volumes);
  if (!needs.status.ok() || needs.volumes.empty()) return needs;
  MakeUnique(needs.volumes);
  if (!check_installed) return needs;
  for (const CsiVolumeId& volume : needs.volumes) {
    const bool is_new = needs.required_drivers.empty() || needs.required_drivers.back() != volume.driver;
    if (is_new && MustBeInstalled(volume.driver, objects)) needs.required_drivers.push_back(volume.driver);
  }
  return needs;
}

bool IsInstalled(const api::CsiNode* node, const std::string& driver) {
  return node != nullptr &&
         std::ranges::find(node->drivers, driver, &api::CsiNode::Driver::name) != node->drivers.end();
}

std::optional<int64_t> Limit(const api::CsiNode& node, const std::string& driver) {
  std::optional<int64_t> limit;
  for (const api::CsiNode::Driver& candidate : node.drivers) {
    if (candidate.name == driver && candidate.allocatable_count) limit = *candidate.allocatable_count;
  }
  return limit;
}

bool HasLimits(const api::CsiNode* node) {
  return node != nullptr && std::ranges::any_of(node->drivers, [](const api::CsiNode::Driver& driver) {
           return driver.allocatable_count.has_value();
         });
}

int64_t CountOf(const std::vector<CsiVolumeId>& volumes, const std::string& driver) {
  return std::ranges::count(volumes, driver, &CsiVolumeId::driver);
}

std::vector<CsiVolumeId> Without(const std::vector<CsiVolumeId>& volumes, const std::vector<CsiVolumeId>& others) {
  std::vector<CsiVolumeId> rest;
  std::ranges::set_difference(volumes, others, std::back_inserter(rest));
  return rest;
}

// Looks at one node after the other for one pod.
class Judge {
 public:
  Judge(const framework::Cycle& cycle, NodeVolumeLimitsState& state) : cycle_(cycle), state_(state) {}

  // Success, a rejection with one reason, or an error.
  Status operator()(cluster::NodeSlot slot);

 private:
  Status CheckLimits(const api::CsiNode& node, const std::vector<CsiVolumeId>& needed, cluster::NodeSlot slot);
  // Volumes that are attached for another reason than a pod on the node.
  std::vector<CsiVolumeId> OtherAttachments(const std::string& node_name, const std::vector<CsiVolumeId>& of_pods);

  const framework::Cycle& cycle_;
  NodeVolumeLimitsState& state_;
  std::vector<CsiVolumeId> in_use_;  // By the pods on the node; kept to reuse its memory.
};

Status Judge::operator()(cluster::NodeSlot slot) {
  const api::CsiNode* node = cycle_.cluster().objects.csi_nodes.Find("", cycle_.nodes().name[slot.index]);
  const Needs& needs = node == nullptr ? state_.without_drivers : state_.with_drivers;
  if (!needs.status.ok()) return needs.status;
  if (needs.volumes.empty()) return Status::Success();
  for (const std::string& driver : needs.required_drivers) {
    if (!IsInstalled(node, driver)) {
      return Status::Unschedulable(fmt::format("{} CSI driver is not installed on the node", driver));
    }
  }
  if (!HasLimits(node)) return Status::Success();
  return CheckLimits(*node, needs.volumes, slot);
}

Status Judge::CheckLimits(const api::CsiNode& node, const std::vector<CsiVolumeId>& needed, cluster::NodeSlot slot) {
  in_use_.clear();
  for (const cluster::PodPtr& pod : cycle_.nodes().pods[slot.index].pods) {
    Status status = AppendCsiVolumes(*pod, PodPlace::kOnNode, NodeDrivers::kKnown, cycle_.cluster().objects, in_use_);
    if (!status.ok()) return status;
  }
  MakeUnique(in_use_);
  const std::vector<CsiVolumeId> added = Without(needed, in_use_);
  if (added.empty()) return Status::Success();
  const std::vector<CsiVolumeId> others = OtherAttachments(node.meta.name, in_use_);
  for (const CsiVolumeId& volume : added) {
    const std::optional<int64_t> limit = Limit(node, volume.driver);
    if (!limit) continue;
    const int64_t total =
        CountOf(in_use_, volume.driver) + CountOf(others, volume.driver) + CountOf(added, volume.driver);
    if (total > *limit) return Status::Unschedulable(std::string(NodeVolumeLimits::kLimitExceeded));
  }
  return Status::Success();
}

std::vector<CsiVolumeId> Judge::OtherAttachments(const std::string& node_name,
                                                 const std::vector<CsiVolumeId>& of_pods) {
  if (!state_.attachments) state_.attachments = ReadAttachments(cycle_.cluster().objects);
  const auto it = state_.attachments->find(node_name);
  return it == state_.attachments->end() ? std::vector<CsiVolumeId>() : Without(it->second, of_pods);
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> NodeVolumeLimits::Create(const framework::PluginContext& context) {
  return std::make_unique<NodeVolumeLimits>(context.gates.Enabled(framework::Gate::kVolumeLimitScaling));
}

framework::PreFilterResult NodeVolumeLimits::PreFilter(framework::Cycle& cycle) const {
  if (std::ranges::none_of(cycle.pod().spec().volumes, MayBeCsiVolume)) return {Status::Skip()};
  NodeVolumeLimitsState& state = cycle.MakeState<NodeVolumeLimitsState>(index());
  state.without_drivers = ReadNeeds(cycle, NodeDrivers::kUnknown, check_installed_);
  state.with_drivers = ReadNeeds(cycle, NodeDrivers::kKnown, check_installed_);
  return {Status::Success()};
}

void NodeVolumeLimits::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  // Where PreFilter is turned off it is not run by the profile, but what it reads is needed all the same.
  if (cycle.state<NodeVolumeLimitsState>(index()) == nullptr && !PreFilter(cycle).status.ok()) return;
  NodeVolumeLimitsState* state = cycle.state<NodeVolumeLimitsState>(index());
  Judge judge(cycle, *state);
  candidates.RejectEach([&](cluster::NodeSlot slot) -> Verdict {
    const Status status = judge(slot);
    if (status.ok()) return {};
    if (!status.is_rejected()) {
      candidates.SetError(status);
      return {};
    }
    return {.code = status.code, .reason = candidates.reasons().Intern(status.reasons.front())};
  });
}

}  // namespace berth::plugins
