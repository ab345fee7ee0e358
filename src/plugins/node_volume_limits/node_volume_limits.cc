// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_volume_limits/node_volume_limits.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plugins/helpers/local_values.h"
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
};

// What is kept of nodes from one pod to the next, because reading the volumes of all pods takes long and is seldom
// needed: most nodes have room for more volumes than their pods name.
class KeptNodes final : public framework::PluginState {
 public:
  static constexpr int32_t kUnknown = -1;

  // By slot, how many CSI volumes the pods there have at most, or kUnknown. Valid until the next call.
  const int32_t* MostVolumes(const cluster::NodeTable& nodes) {
    return most_volumes_.Get({}, nodes, [&](cluster::NodeSlot slot) { return Count(nodes.pods[slot.index]); });
  }
  // By slot; nullptr for a node without one. Valid until the next call.
  const std::vector<std::shared_ptr<const api::CsiNode>>& CsiNodes(const cluster::Cluster& cluster);

 private:
  static int32_t Count(const cluster::NodePods& on_node) {
    int32_t count = 0;
    for (const cluster::PodPtr& pod : on_node.pods) {
      const std::optional<int32_t> most = MostCsiVolumes(*pod);
      if (!most) return kUnknown;
      count += *most;
    }
    return count;
  }

  LocalValues<int32_t> most_volumes_;
  std::vector<std::shared_ptr<const api::CsiNode>> csi_nodes_;
  uint64_t seen_csi_nodes_ = 0;  // The version of the store.
  uint64_t seen_rows_ = 0;       // Changes of the node table.
};

const std::vector<std::shared_ptr<const api::CsiNode>>& KeptNodes::CsiNodes(const cluster::Cluster& cluster) {
  const cluster::NodeTable& nodes = cluster.nodes();
  const auto& store = cluster.objects.csi_nodes;
  const auto read = [&](cluster::NodeSlot slot) { csi_nodes_[slot.index] = store.Get("", nodes.name[slot.index]); };
  // A row may have become that of another node.
  const bool is_current = csi_nodes_.size() == nodes.slot_limit() && seen_csi_nodes_ == store.version() &&
                          nodes.VisitChanges(seen_rows_, read);
  if (!is_current) {
    csi_nodes_.resize(nodes.slot_limit());
    for (uint32_t i = 0; i < csi_nodes_.size(); ++i) read({i});
  }
  seen_csi_nodes_ = store.version();
  seen_rows_ = nodes.change_count();
  return csi_nodes_;
}

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
  Judge(const framework::Cycle& cycle, const NodeVolumeLimitsState& state, KeptNodes& kept)
      : cycle_(cycle),
        state_(state),
        csi_nodes_(kept.CsiNodes(cycle.cluster())),
        most_volumes_(kept.MostVolumes(cycle.nodes())) {}

  // Success, a rejection with one reason, or an error.
  Status operator()(cluster::NodeSlot slot);

 private:
  // Whether the limits allow for the volumes wherever those of the pods and attachments there are.
  bool HasAmpleRoom(const api::CsiNode& node, const std::vector<CsiVolumeId>& needed, cluster::NodeSlot slot) const;
  Status CheckLimits(const api::CsiNode& node, const std::vector<CsiVolumeId>& needed, cluster::NodeSlot slot);

  const framework::Cycle& cycle_;
  const NodeVolumeLimitsState& state_;
  const std::vector<std::shared_ptr<const api::CsiNode>>& csi_nodes_;
  const int32_t* most_volumes_;
  std::vector<CsiVolumeId> in_use_;  // By the pods on the node; kept to reuse its memory.
};

Status Judge::operator()(cluster::NodeSlot slot) {
  const api::CsiNode* node = csi_nodes_[slot.index].get();
  const Needs& needs = node == nullptr ? state_.without_drivers : state_.with_drivers;
  if (!needs.status.ok()) return needs.status;
  if (needs.volumes.empty()) return Status::Success();
  for (const std::string& driver : needs.required_drivers) {
    if (!IsInstalled(node, driver)) {
      return Status::Unschedulable(fmt::format("{} CSI driver is not installed on the node", driver));
    }
  }
  if (!HasLimits(node) || HasAmpleRoom(*node, needs.volumes, slot)) return Status::Success();
  return CheckLimits(*node, needs.volumes, slot);
}

bool Judge::HasAmpleRoom(const api::CsiNode& node, const std::vector<CsiVolumeId>& needed,
                         cluster::NodeSlot slot) const {
  const int32_t of_pods = most_volumes_[slot.index];
  if (of_pods == KeptNodes::kUnknown) return false;
  const size_t attached = cycle_.cluster().attachments.On(node.meta.name).size();
  const auto most = of_pods + static_cast<int64_t>(attached + needed.size());
  return std::ranges::all_of(needed, [&](const CsiVolumeId& volume) {
    const std::optional<int64_t> limit = Limit(node, volume.driver);
    return !limit || most <= *limit;
  });
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
  const std::vector<CsiVolumeId> others = Without(AttachedCsiVolumes(node.meta.name, cycle_.cluster()), in_use_);
  for (const CsiVolumeId& volume : added) {
    const std::optional<int64_t> limit = Limit(node, volume.driver);
    if (!limit) continue;
    const int64_t total =
        CountOf(in_use_, volume.driver) + CountOf(others, volume.driver) + CountOf(added, volume.driver);
    if (total > *limit) return Status::Unschedulable(std::string(NodeVolumeLimits::kLimitExceeded));
  }
  return Status::Success();
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
  Judge judge(cycle, *cycle.state<NodeVolumeLimitsState>(index()), cycle.kept<KeptNodes>(*this));
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
