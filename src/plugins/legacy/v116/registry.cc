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

void AddRow(Registry& registry, framework::PluginRow row) {
  const Result<void> added = registry.Add(std::move(row));
  BERTH_ASSERT(added.has_value());
}

// A plugin that needs its name and nothing else.
template <class P>
void AddNamed(Registry& registry, std::string_view name) {
  AddRow(registry, framework::RowOf<P>(name, [](const PluginContext& context) -> Result<std::unique_ptr<Plugin>> {
           return std::make_unique<P>(context.name);
         }));
}

template <class P>
void AddPlain(Registry& registry) {
  AddRow(registry, framework::RowOf<P>());
}

// A plugin that stands for all entries of its kind.
template <class P>
void AddKind(Registry& registry) {
  framework::PluginRow row = framework::RowOf<P>(P::kKind, P::Create);
  row.several = true;
  AddRow(registry, std::move(row));
}

void AddGeneral(Registry& registry, std::string_view name, v116::GeneralPredicates::Parts parts) {
  AddRow(registry, framework::RowOf<v116::GeneralPredicates>(name, [parts](const PluginContext& context) {
           return v116::GeneralPredicates::Create(context, parts);
         }));
}

void AddVolumeCount(Registry& registry, std::string_view name, legacy::InTreeVolumeKind kind) {
  kind.plugin = name;
  kind.may_be_migrated = false;
  AddRow(registry, framework::RowOf<legacy::VolumeCountLimits>(name, [kind](const PluginContext& context) {
           return legacy::VolumeCountLimits::Create(context, kind);
         }));
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
  AddKind<v116::CheckNodeLabelPresence>(registry);
  AddKind<v116::CheckServiceAffinity>(registry);
  AddVolumeCount(registry, "MaxEBSVolumeCount", legacy::kEbsVolumes);
  AddVolumeCount(registry, "MaxGCEPDVolumeCount", legacy::kGcePdVolumes);
  AddVolumeCount(registry, "MaxAzureDiskVolumeCount", legacy::kAzureDiskVolumes);
  AddVolumeCount(registry, "MaxCinderVolumeCount", legacy::kCinderVolumes);
  AddNamed<v116::MaxCsiVolumeCount>(registry, "MaxCSIVolumeCountPred");
  AddPlain<v116::CheckVolumeBinding>(registry);
  AddNamed<v116::NoVolumeZoneConflict>(registry, "NoVolumeZoneConflict");
  AddPlain<v116::MatchInterPodAffinity>(registry);
}

void AddPriorities(Registry& registry) {
  AddNamed<v116::BalancedResourceAllocation>(registry, "BalancedResourceAllocation");
  AddNamed<v116::EqualPriority>(registry, "EqualPriority");
  AddNamed<v116::ImageLocalityPriority>(registry, "ImageLocalityPriority");
  AddPlain<v116::InterPodAffinityPriority>(registry);
  AddNamed<v116::LeastRequestedPriority>(registry, "LeastRequestedPriority");
  AddNamed<v116::MostRequestedPriority>(registry, "MostRequestedPriority");
  AddNamed<v116::NodeAffinityPriority>(registry, "NodeAffinityPriority");
  AddKind<v116::NodeLabelPriority>(registry);
  AddNamed<v116::NodePreferAvoidPodsPriority>(registry, "NodePreferAvoidPodsPriority");
  AddKind<v116::RequestedToCapacityRatioPriority>(registry);
  AddNamed<v116::SelectorSpreadPriority>(registry, "SelectorSpreadPriority");
  AddKind<v116::ServiceAntiAffinityPriority>(registry);
  AddNamed<v116::SelectorSpreadPriority>(registry, "ServiceSpreadingPriority");
  AddNamed<v116::TaintTolerationPriority>(registry, "TaintTolerationPriority");
}

}  // namespace

void RegisterV116Plugins(Registry& registry) {
  AddPredicates(registry);
  AddPriorities(registry);
}

}  // namespace berth::plugins
