// SPDX-License-Identifier: Apache-2.0

#include "plugins/pod_topology_spread/pod_topology_spread.h"

namespace berth::plugins {
namespace {

api::TopologySpreadConstraint SystemConstraint(std::string key, int32_t max_skew) {
  api::TopologySpreadConstraint constraint;
  constraint.max_skew = max_skew;
  constraint.topology_key = std::move(key);
  constraint.when_unsatisfiable = "ScheduleAnyway";
  return constraint;
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> PodTopologySpread::Create(const framework::PluginContext& context) {
  const auto* given = std::get_if<framework::PodTopologySpreadArgs>(&context.args);
  const framework::PodTopologySpreadArgs args = given == nullptr ? framework::PodTopologySpreadArgs() : *given;
  using framework::Gate;
  spread::Options options;
  options.system_defaulted = args.defaulting_type == framework::PodTopologySpreadArgs::kSystemDefaulting;
  options.default_constraints = args.default_constraints;
  if (options.system_defaulted) {
    options.default_constraints = {SystemConstraint("kubernetes.io/hostname", 3),
                                   SystemConstraint("topology.kubernetes.io/zone", 5)};
  }
  options.match_label_keys = context.gates.Enabled(Gate::kMatchLabelKeysInPodTopologySpread);
  options.inclusion_policies = context.gates.Enabled(Gate::kNodeInclusionPolicyInPodTopologySpread);
  options.comparison_operators = context.gates.Enabled(Gate::kTaintTolerationComparisonOperators);
  return std::make_unique<PodTopologySpread>(std::move(options));
}

}  // namespace berth::plugins
