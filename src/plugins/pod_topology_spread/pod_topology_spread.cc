// SPDX-License-Identifier: Apache-2.0

#include "plugins/pod_topology_spread/pod_topology_spread.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::plugins {
namespace {

api::TopologySpreadConstraint SystemConstraint(std::string key, int32_t max_skew) {
  api::TopologySpreadConstraint constraint;
  constraint.max_skew = max_skew;
  constraint.topology_key = std::move(key);
  constraint.when_unsatisfiable = "ScheduleAnyway";
  return constraint;
}

void ValidateConstraint(const std::vector<api::TopologySpreadConstraint>& constraints, size_t i,
                        const std::string& list_path, framework::FieldErrors& errors) {
  const api::TopologySpreadConstraint& constraint = constraints[i];
  const std::string path = framework::Index(list_path, i);
  if (constraint.max_skew <= 0) errors.Invalid(path + ".maxSkew", constraint.max_skew, "not in valid range (0, inf)");
  if (constraint.topology_key.empty()) {
    errors.Required(path + ".topologyKey", "can not be empty");
  } else {
    errors.CheckLabelName(path + ".topologyKey", constraint.topology_key);
  }
  if (constraint.when_unsatisfiable.empty()) {
    errors.Required(path + ".whenUnsatisfiable", "can not be empty");
  } else if (constraint.when_unsatisfiable != "DoNotSchedule" && constraint.when_unsatisfiable != "ScheduleAnyway") {
    errors.NotSupported(path + ".whenUnsatisfiable", framework::JsonString(constraint.when_unsatisfiable),
                        {"DoNotSchedule", "ScheduleAnyway"});
  }
  if (constraint.label_selector) {
    errors.Forbidden(path + ".labelSelector", "constraint must not define a selector, as they deduced for each pod");
  }
  const bool is_repeated =
      std::any_of(constraints.begin(), constraints.begin() + static_cast<ptrdiff_t>(i), [&](const auto& other) {
        return other.topology_key == constraint.topology_key &&
               other.when_unsatisfiable == constraint.when_unsatisfiable;
      });
  if (is_repeated) {
    errors.Duplicate(path,
                     api::GoQuote(fmt::format("{{{}, {}}}", constraint.topology_key, constraint.when_unsatisfiable)));
  }
}

}  // namespace

void PodTopologySpread::Args::Complete(const framework::FeatureGates&) {
  if (defaulting_type.empty()) defaulting_type = kSystemDefaulting;
}

void PodTopologySpread::Args::Validate(const framework::ArgsCheck& check) const {
  const std::string path = check.At("defaultingType");
  if (defaulting_type != kSystemDefaulting && defaulting_type != kListDefaulting) {
    check.errors.NotSupported(path, framework::JsonString(defaulting_type), {kSystemDefaulting, kListDefaulting});
  } else if (defaulting_type == kSystemDefaulting && !default_constraints.empty()) {
    check.errors.Invalid(path, framework::JsonString(defaulting_type), "when .defaultConstraints are not empty");
  }
  for (size_t i = 0; i < default_constraints.size(); ++i) {
    ValidateConstraint(default_constraints, i, check.At("defaultConstraints"), check.errors);
  }
}

Result<std::unique_ptr<framework::Plugin>> PodTopologySpread::Create(const framework::PluginContext& context) {
  const Args args = context.args.ValueOr<Args>();
  using framework::Gate;
  spread::Options options;
  options.system_defaulted = args.defaulting_type == Args::kSystemDefaulting;
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

spread::DomainPodsPtr PodTopologySpread::CountByDomain(framework::Cycle& cycle, const spread::Constraint& constraint,
                                                       spread::TopologyPtr topology,
                                                       std::vector<spread::TopologyPtr> required,
                                                       spread::NodeInclusion& inclusion) const {
  const bool includes_all = inclusion.IncludesAll(constraint);
  const cluster::PodInfo& pod = cycle.pod();
  return cycle.kept<spread::KeptPods>(*this).Get(
      {.topology = std::move(topology),
       .counter = spread::CountPods(constraint, pod.ns(), cycle.cluster()),
       .required = std::move(required),
       .included_for = includes_all ? 0 : pod.pod_template->id},
      cycle.nodes(), [&](cluster::NodeSlot slot) { return includes_all || inclusion.Includes(constraint, slot); });
}

}  // namespace berth::plugins
