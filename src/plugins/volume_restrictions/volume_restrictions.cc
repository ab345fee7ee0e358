// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_restrictions/volume_restrictions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "plugins/helpers/volume_claims.h"

namespace berth::plugins {
namespace {

using api::Volume;
using framework::Status;
using framework::StatusCode;

constexpr std::string_view kReadWriteOncePod = "ReadWriteOncePod";

struct VolumeRestrictionsState : framework::PluginState {
  std::vector<Volume> disks;                  // Volumes of the pod that may conflict with others on a node.
  std::vector<std::string> exclusive_claims;  // Names of its ReadWriteOncePod claims; unique.
  int64_t claims_in_use = 0;
};

bool Contains(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

bool IsDisk(const Volume& volume) {
  switch (volume.source) {
    case Volume::Source::kGcePersistentDisk:
    case Volume::Source::kAwsElasticBlockStore:
    case Volume::Source::kIscsi:
    case Volume::Source::kRbd: return true;
    default: return false;
  }
}

bool ConflictsWithPod(const std::vector<Volume>& disks, const cluster::PodInfo& pod) {
  return std::ranges::any_of(pod.spec().volumes, [&](const Volume& other) {
    return std::ranges::any_of(disks, [&](const Volume& disk) { return DisksConflict(disk, other); });
  });
}

bool ConflictsOnNode(const std::vector<Volume>& disks, const cluster::NodePods& on_node) {
  return std::ranges::any_of(on_node.pods, [&](const cluster::PodPtr& pod) { return ConflictsWithPod(disks, *pod); });
}

Status FindExclusiveClaims(const framework::Cycle& cycle, std::vector<std::string>& exclusive) {
  const cluster::PodInfo& pod = cycle.pod();
  for (const Volume& volume : pod.spec().volumes) {
    if (volume.source != Volume::Source::kPersistentVolumeClaim) continue;
    const auto* claim = cycle.cluster().objects.persistent_volume_claims.Find(pod.ns(), volume.id);
    if (claim == nullptr) return Status::Unresolvable(ClaimNotFound(volume.id));
    const bool is_exclusive = Contains(claim->access_modes, kReadWriteOncePod);
    if (is_exclusive && !Contains(exclusive, volume.id)) exclusive.push_back(volume.id);
  }
  return Status::Success();
}

// Claims are compared by name only, as upstream does: a pod of another namespace with a claim of the same name counts.
int64_t CountExclusive(const VolumeRestrictionsState& state, const cluster::PodInfo& pod) {
  return std::ranges::count_if(pod.spec().volumes, [&](const Volume& volume) {
    return volume.source == Volume::Source::kPersistentVolumeClaim && Contains(state.exclusive_claims, volume.id);
  });
}

}  // namespace

bool DisksConflict(const Volume& a, const Volume& b) {
  if (a.source != b.source || !IsDisk(a) || a.id != b.id) return false;
  if (a.source == Volume::Source::kAwsElasticBlockStore) return true;
  if (a.read_only && b.read_only) return false;
  if (a.source != Volume::Source::kRbd) return true;
  return a.pool == b.pool && std::ranges::find_first_of(a.monitors, b.monitors) != a.monitors.end();
}

framework::PreFilterResult VolumeRestrictions::PreFilter(framework::Cycle& cycle) const {
  const cluster::PodInfo& pod = cycle.pod();
  if (pod.spec().volumes.empty()) return {Status::Skip()};
  std::vector<std::string> exclusive;
  Status status = FindExclusiveClaims(cycle, exclusive);
  if (!status.ok()) return {std::move(status)};
  const int64_t in_use = std::ranges::count_if(
      exclusive, [&](const std::string& claim) { return cycle.cluster().ClaimUsers(pod.ns() + "/" + claim) > 0; });
  std::vector<Volume> disks;
  std::ranges::copy_if(pod.spec().volumes, std::back_inserter(disks), IsDisk);
  if (disks.empty() && in_use == 0) return {Status::Skip()};

  VolumeRestrictionsState& state = cycle.MakeState<VolumeRestrictionsState>(index());
  state.disks = std::move(disks);
  state.exclusive_claims = std::move(exclusive);
  state.claims_in_use = in_use;
  return {Status::Success()};
}

Status VolumeRestrictions::AddPod(framework::Cycle& cycle, const cluster::PodInfo& pod, cluster::NodeSlot) const {
  VolumeRestrictionsState& state = *cycle.state<VolumeRestrictionsState>(index());
  state.claims_in_use += CountExclusive(state, pod);
  return Status::Success();
}

Status VolumeRestrictions::RemovePod(framework::Cycle& cycle, const cluster::PodInfo& pod, cluster::NodeSlot) const {
  VolumeRestrictionsState& state = *cycle.state<VolumeRestrictionsState>(index());
  state.claims_in_use -= CountExclusive(state, pod);
  return Status::Success();
}

void VolumeRestrictions::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const VolumeRestrictionsState& state = *cycle.state<VolumeRestrictionsState>(index());
  if (!state.disks.empty()) {
    candidates.RejectIf(StatusCode::kUnschedulable, kDiskConflict, [&](cluster::NodeSlot slot) {
      return ConflictsOnNode(state.disks, cycle.nodes().pods[slot.index]);
    });
  }
  if (state.claims_in_use > 0) candidates.RejectAll(StatusCode::kUnschedulable, kClaimInUse);
}

}  // namespace berth::plugins
