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

void AddFactory(framework::Registry& registry, std::string_view name, framework::PluginFactory factory) {
  const Result<void> added = registry.Add(name, std::move(factory));
  BERTH_ASSERT(added.has_value());
}

template <class P>
void AddOfRelease(framework::Registry& registry, legacy::Release release) {
  AddFactory(registry, P::kName, [release](const PluginContext& context) { return P::Create(context, release); });
}

}  // namespace

void RegisterLegacyPlugins(framework::Registry& registry, legacy::Release release) {
  AddOfRelease<legacy::NodeLabel>(registry, release);
  AddOfRelease<legacy::ServiceAffinity>(registry, release);
  AddOfRelease<legacy::SelectorSpread>(registry, release);
  AddFactory(registry, legacy::NodePreferAvoidPods::kName, legacy::NodePreferAvoidPods::Create);
  for (const legacy::InTreeVolumeKind& kind :
       {legacy::kEbsVolumes, legacy::kGcePdVolumes, legacy::kAzureDiskVolumes, legacy::kCinderVolumes}) {
    AddFactory(registry, kind.plugin,
               [kind](const PluginContext& context) { return legacy::VolumeCountLimits::Create(context, kind); });
  }
  using enum legacy::AllocationStrategy;
  for (const legacy::AllocationStrategy strategy : {kLeastAllocated, kMostAllocated, kRequestedToCapacityRatio}) {
    AddFactory(registry, legacy::ResourceAllocation::NameOf(strategy),
               [strategy, release](const PluginContext& context) {
                 return legacy::ResourceAllocation::Create(context, strategy, release);
               });
  }
}

}  // namespace berth::plugins
