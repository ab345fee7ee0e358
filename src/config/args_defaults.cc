// SPDX-License-Identifier: Apache-2.0
#include "config/defaults.h"

namespace berth::config {

using framework::Gate;
using framework::PluginArgs;

namespace {

class Completer {
 public:
  explicit Completer(const framework::FeatureGates& gates) : gates_(gates) {}

  void operator()(framework::DynamicResourcesArgs& args) const {
    if (!args.filter_timeout && gates_.Enabled(Gate::kDRASchedulerFilterTimeout)) {
      args.filter_timeout = args.kDefaultFilterTimeout;
    }
    if (!args.binding_timeout && gates_.Enabled(Gate::kDRADeviceBindingConditions) &&
        gates_.Enabled(Gate::kDRAResourceClaimDeviceStatus)) {
      args.binding_timeout = args.kDefaultBindingTimeout;
    }
  }

  void operator()(framework::NodeResourcesBalancedAllocationArgs& args) const { CompleteResources(args.resources); }
  void operator()(framework::NodeResourcesFitArgs& args) const { CompleteResources(args.scoring_strategy.resources); }

  void operator()(framework::PodTopologySpreadArgs& args) const {
    if (args.defaulting_type.empty()) args.defaulting_type = args.kSystemDefaulting;
  }

  void operator()(framework::VolumeBindingArgs& args) const {
    if (args.shape.empty() && gates_.Enabled(Gate::kStorageCapacityScoring)) args.shape = {{0, 10}, {100, 0}};
  }

  void operator()(auto&) const {}

 private:
  static void CompleteResources(std::vector<framework::ResourceSpec>& resources) {
    if (resources.empty()) resources = {{"cpu", 1}, {"memory", 1}};
    for (framework::ResourceSpec& resource : resources) {
      if (resource.weight == 0) resource.weight = 1;
    }
  }

  const framework::FeatureGates& gates_;
};

PluginArgs EmptyArgs(std::string_view plugin) {
  if (plugin == "DefaultPreemption") return framework::DefaultPreemptionArgs();
  if (plugin == "DynamicResources") return framework::DynamicResourcesArgs();
  if (plugin == "InterPodAffinity") return framework::InterPodAffinityArgs();
  if (plugin == "NodeAffinity") return framework::NodeAffinityArgs();
  if (plugin == "NodeResourcesBalancedAllocation") return framework::NodeResourcesBalancedAllocationArgs();
  if (plugin == "NodeResourcesFit") return framework::NodeResourcesFitArgs();
  if (plugin == "PodTopologySpread") return framework::PodTopologySpreadArgs();
  if (plugin == "VolumeBinding") return framework::VolumeBindingArgs();
  return {};
}

}  // namespace

PluginArgs DefaultArgs(std::string_view plugin, const framework::FeatureGates& gates) {
  PluginArgs args = EmptyArgs(plugin);
  ApplyArgsDefaults(args, gates);
  return args;
}

void ApplyArgsDefaults(PluginArgs& args, const framework::FeatureGates& gates) { std::visit(Completer(gates), args); }

}  // namespace berth::config
