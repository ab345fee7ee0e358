// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/registry.h"

#include "base/assert.h"
#include "plugins/legacy/node_label.h"
#include "plugins/legacy/node_prefer_avoid_pods.h"
#include "plugins/legacy/resource_allocation.h"
#include "plugins/legacy/selector_spread.h"
#include "plugins/legacy/service_affinity.h"
#include "plugins/legacy/volume_count_limits.h"

namespace berth::plugins {

namespace {

using framework::PluginContext;
using framework::PluginRow;
using framework::RowOf;

template <class P>
PluginRow RowOfRelease(legacy::Release release) {
  return RowOf<P>(P::kName, [release](const PluginContext& context) { return P::Create(context, release); });
}

PluginRow RowOfVolumes(const legacy::InTreeVolumeKind& kind) {
  return RowOf<legacy::VolumeCountLimits>(
      kind.plugin, [kind](const PluginContext& context) { return legacy::VolumeCountLimits::Create(context, kind); });
}

PluginRow RowOfStrategy(legacy::AllocationStrategy strategy, legacy::Release release) {
  using legacy::ResourceAllocation;
  PluginRow row = RowOf<ResourceAllocation>(ResourceAllocation::NameOf(strategy),
                                            [strategy, release](const PluginContext& context) {
                                              return ResourceAllocation::Create(context, strategy, release);
                                            });
  if (strategy == legacy::AllocationStrategy::kRequestedToCapacityRatio) {
    row.args = &framework::kArgsType<ResourceAllocation::RatioArgs>;
  }
  return row;
}

}  // namespace

void RegisterLegacyPlugins(framework::Registry& registry, legacy::Release release) {
  using enum legacy::AllocationStrategy;
  for (const PluginRow& row : {
           RowOfRelease<legacy::NodeLabel>(release),
           RowOfRelease<legacy::ServiceAffinity>(release),
           RowOfRelease<legacy::SelectorSpread>(release),
           RowOf<legacy::NodePreferAvoidPods>(),
           RowOfVolumes(legacy::kEbsVolumes),
           RowOfVolumes(legacy::kGcePdVolumes),
           RowOfVolumes(legacy::kAzureDiskVolumes),
           RowOfVolumes(legacy::kCinderVolumes),
           RowOfStrategy(kLeastAllocated, release),
           RowOfStrategy(kMostAllocated, release),
           RowOfStrategy(kRequestedToCapacityRatio, release),
       }) {
    const Result<void> added = registry.Add(row);
    BERTH_ASSERT(added.has_value());
  }
}

}  // namespace berth::plugins
