// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/volume_count_limits.h"

#include "plugins/helpers/csi_migration.h"

namespace berth::plugins::legacy {

using framework::Status;

Result<std::unique_ptr<framework::Plugin>> VolumeCountLimits::Create(const framework::PluginContext& context,
                                                                     const InTreeVolumeKind& kind) {
  return std::make_unique<VolumeCountLimits>(kind, context.args.ValueOr<Args>().max_pd_volumes);
}

void VolumeCountLimits::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  std::set<InTreeVolumeId> wanted;
  Status added = AddVolumes(kind_, cycle.pod(), cycle.cluster().objects, wanted);
  if (!added.ok() && !candidates.empty()) return candidates.SetError(std::move(added));
  if (wanted.empty()) return;
  candidates.RejectIf(framework::StatusCode::kUnschedulable, kTooManyVolumes, [&](cluster::NodeSlot slot) {
    const Result<bool> fits = Fits(cycle, slot, wanted);
    if (!fits) candidates.SetError(Status::Error(fits.error().message));
    return fits && !*fits;
  });
}

Result<bool> VolumeCountLimits::Fits(const framework::Cycle& cycle, cluster::NodeSlot node,
                                     const std::set<InTreeVolumeId>& wanted) const {
  const cluster::Objects& objects = cycle.cluster().objects;
  const cluster::NodeTable& nodes = cycle.nodes();
  if (kind_.may_be_migrated) {
    const api::CsiNode* csi_node = objects.csi_nodes.Find("", nodes.name[node.index]);
    if (IsMigratedOnNode(*FindMigration(kind_.source), csi_node)) return true;
  }
  std::set<InTreeVolumeId> used = wanted;
  for (const cluster::PodPtr& pod : nodes.pods[node.index].pods) {
    const Status added = AddVolumes(kind_, *pod, objects, used);
    if (!added.ok()) return Invalid(added.message());
  }
  return static_cast<int64_t>(used.size()) <= VolumeLimit(kind_, *nodes.node[node.index], max_pd_volumes_);
}

}  // namespace berth::plugins::legacy
