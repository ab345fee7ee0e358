// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/registry.h"

#include "base/assert.h"
#include "plugins/legacy/v116/basic_checks.h"
#include "plugins/legacy/v116/general_predicates.h"
#include "plugins/legacy/v116/inter_pod_affinity.h"
#include "plugins/legacy/v116/node_predicates.h"
#include "plugins/legacy/v116/node_priorities.h"
#include "plugins/legacy/v116/resource_priorities.h"
#include "plugins/legacy/v116/service_affinity.h"
#include "plugins/legacy/v116/spread_priorities.h"
#include "plugins/legacy/v116/volume_counts.h"
#include "plugins/legacy/v116/volume_places.h"
#include "plugins/legacy/volume_count_limits.h"

namespace berth::plugins {
namespace {

using framework::Plugin;
using framework::PluginContext;
using framework::Registry;
namespace v116 = legacy::v116;

void AddV116(Registry& registry, std::string_view name, framework::PluginFactory factory) {
  const Result<void> added = registry.Add(name, std::move(factory));
  BERTH_ASSERT(added.has_value());
}

// A plugin that needs its name and nothing else.
template <class P>
void AddNamed(Registry& registry, std::string_view name) {
  AddV116(registry, name, [](const PluginContext& context) -> Result<std::unique_ptr<Plugin>> {
    return std::make_unique<P>(context.name);
  });
}

template <class P>
void AddPlain(Registry& registry) {
  AddV116(registry, P::kName,
          [](const PluginContext&) -> Result<std::unique_ptr<Plugin>> { return std::make_unique<P>(); });
}

void AddGeneral(Registry& registry, std::string_view name, v116::GeneralPredicates::Parts parts) {
  AddV116(registry, name,
          [parts](const PluginContext& context) { return v116::GeneralPredicates::Create(context, parts); });
}

void AddVolumeCount(Registry& registry, std::string_view name, legacy::InTreeVolumeKind kind) {
  kind.plugin = name;
  kind.may_be_migrated = false;
  AddV116(registry, name,
          [kind](const PluginContext& context) { return legacy::VolumeCountLimits::Create(context, kind); });
}

void AddPredicates(Registry& registry) {
  AddPlain<v116::BasicChecks>(registry);
  AddNamed<v116::CheckNodeUnschedulable>(registry, "CheckNodeUnschedulable");
  AddGeneral(registry, "GeneralPredicates", v116::GeneralPredicates::kAllParts);
  AddGeneral(registry, "HostName", v116::GeneralPredicates::kHost);
  AddGeneral(registry, "PodFitsHostPorts", v116::GeneralPredicates::kPorts);
  AddGeneral(registry, "MatchNodeSelector", v116::GeneralPredicates::kSelector);
  AddGeneral(registry, "PodFitsResources", v116::GeneralPredicates::kResources);
  AddNamed<v116::NoDiskConflict>(registry, "NoDiskConflict");
  AddNamed<v116::PodToleratesNodeTaints>(registry, "PodToleratesNodeTaints");
  AddV116(registry, v116::CheckNodeLabelPresence::kKind, v116::CheckNodeLabelPresence::Create);
  AddV116(registry, v116::CheckServiceAffinity::kKind, v116::CheckServiceAffinity::Create);
  AddVolumeCount(registry, "MaxEBSVolumeCount", legacy::kEbsVolumes);
  AddVolumeCount(registry, "MaxGCEPDVolumeCount", legacy::kGcePdVolumes);
  AddVolumeCount(registry, "MaxAzureDiskVolumeCount", legacy::kAzureDiskVolumes);
  AddVolumeCount(registry, "MaxCinderVolumeCount", legacy::kCinderVolumes);
  AddNamed<v116::MaxCsiVolumeCount>(registry, "MaxCSIVolumeCountPred");
  AddV116(registry, v116::CheckVolumeBinding::kName, v116::CheckVolumeBinding::Create);
  AddNamed<v116::NoVolumeZoneConflict>(registry, "NoVolumeZoneConflict");
  AddPlain<v116::MatchInterPodAffinity>(registry);
}

void AddPriorities(Registry& registry) {
  AddNamed<v116::BalancedResourceAllocation>(registry, "BalancedResourceAllocation");
  AddNamed<v116::EqualPriority>(registry, "EqualPriority");
  AddNamed<v116::ImageLocalityPriority>(registry, "ImageLocalityPriority");
  AddV116(registry, v116::InterPodAffinityPriority::kName, v116::InterPodAffinityPriority::Create);
  AddNamed<v116::LeastRequestedPriority>(registry, "LeastRequestedPriority");
  AddNamed<v116::MostRequestedPriority>(registry, "MostRequestedPriority");
  AddNamed<v116::NodeAffinityPriority>(registry, "NodeAffinityPriority");
  AddV116(registry, v116::NodeLabelPriority::kKind, v116::NodeLabelPriority::Create);
  AddNamed<v116::NodePreferAvoidPodsPriority>(registry, "NodePreferAvoidPodsPriority");
  AddV116(registry, v116::RequestedToCapacityRatioPriority::kKind, v116::RequestedToCapacityRatioPriority::Create);
  AddNamed<v116::SelectorSpreadPriority>(registry, "SelectorSpreadPriority");
  AddV116(registry, v116::ServiceAntiAffinityPriority::kKind, v116::ServiceAntiAffinityPriority::Create);
  AddNamed<v116::SelectorSpreadPriority>(registry, "ServiceSpreadingPriority");
  AddNamed<v116::TaintTolerationPriority>(registry, "TaintTolerationPriority");
}

}  // namespace

void RegisterV116Plugins(Registry& registry) {
  AddPredicates(registry);
  AddPriorities(registry);
}

}  // namespace berth::plugins
