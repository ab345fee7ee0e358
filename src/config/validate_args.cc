// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/selector.h"
#include "config/internal_json.h"
#include "config/validate.h"

namespace berth::config {

using framework::Gate;
using framework::UtilizationShapePoint;

namespace {

void ValidateLabelName(const std::string& name, const std::string& path, FieldErrors& errors) {
  for (const std::string& problem : api::ValidateQualifiedName(name)) errors.Invalid(path, api::GoQuote(name), problem);
}

void ValidateShape(const std::vector<UtilizationShapePoint>& shape, const std::string& path, FieldErrors& errors) {
  if (shape.empty()) return errors.Required(path, "at least one point must be specified");
  const auto unsorted = std::ranges::adjacent_find(shape, std::greater_equal(), &UtilizationShapePoint::utilization);
  if (unsorted != shape.end()) {
    const auto index = static_cast<size_t>(unsorted - shape.begin()) + 1;
    errors.Invalid(Index(path, index) + ".utilization", shape[index].utilization,
                   "values must be sorted in increasing order");
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].utilization < 0 || shape[i].utilization > 100) {
      errors.Invalid(Index(path, i) + ".utilization", shape[i].utilization, "not in valid range [0, 100]");
    }
    if (shape[i].score < 0 || shape[i].score > 10) {
      errors.Invalid(Index(path, i) + ".score", shape[i].score, "not in valid range [0, 10]");
    }
  }
}

void ValidateConstraint(const std::vector<api::TopologySpreadConstraint>& constraints, size_t i,
                        const std::string& list_path, FieldErrors& errors) {
  const api::TopologySpreadConstraint& constraint = constraints[i];
  const std::string path = Index(list_path, i);
  if (constraint.max_skew <= 0) errors.Invalid(path + ".maxSkew", constraint.max_skew, "not in valid range (0, inf)");
  if (constraint.topology_key.empty()) {
    errors.Required(path + ".topologyKey", "can not be empty");
  } else {
    ValidateLabelName(constraint.topology_key, path + ".topologyKey", errors);
  }
  if (constraint.when_unsatisfiable.empty()) {
    errors.Required(path + ".whenUnsatisfiable", "can not be empty");
  } else if (constraint.when_unsatisfiable != "DoNotSchedule" && constraint.when_unsatisfiable != "ScheduleAnyway") {
    errors.NotSupported(path + ".whenUnsatisfiable", JsonString(constraint.when_unsatisfiable),
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

class ArgsValidator {
 public:
  ArgsValidator(const std::string& path, const framework::FeatureGates& gates, FieldErrors& errors)
      : path_(path), gates_(gates), errors_(errors) {}

  void operator()(const framework::DefaultPreemptionArgs& args) const {
    const int32_t percentage = args.min_candidate_nodes_percentage;
    const int32_t absolute = args.min_candidate_nodes_absolute;
    const std::string percentage_path = At("minCandidateNodesPercentage");
    const std::string absolute_path = At("minCandidateNodesAbsolute");
    if (percentage < 0 || percentage > 100) errors_.Invalid(percentage_path, percentage, "not in valid range [0, 100]");
    if (absolute < 0) errors_.Invalid(absolute_path, absolute, "not in valid range [0, inf)");
    if (percentage == 0 && absolute == 0) {
      errors_.Invalid(percentage_path, percentage, "cannot be zero at the same time as minCandidateNodesAbsolute");
      errors_.Invalid(absolute_path, absolute, "cannot be zero at the same time as minCandidateNodesPercentage");
    }
  }

  void operator()(const framework::DynamicResourcesArgs& args) const {
    if (!gates_.Enabled(Gate::kDRASchedulerFilterTimeout)) {
      if (args.filter_timeout) {
        errors_.Forbidden(At("filterTimeout"), "DRASchedulingFilterTimeout feature gate is disabled");
      }
    } else if (args.filter_timeout && *args.filter_timeout < Duration()) {
      errors_.Invalid(At("filterTimeout"), JsonString(FormatDuration(*args.filter_timeout)),
                      "must be zero or positive");
    }
    if (!gates_.Enabled(Gate::kDRADeviceBindingConditions) || !gates_.Enabled(Gate::kDRAResourceClaimDeviceStatus)) {
      if (args.binding_timeout) {
        errors_.Forbidden(At("bindingTimeout"),
                          "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled");
      }
    } else if (args.binding_timeout && *args.binding_timeout < Seconds(1)) {
      errors_.Invalid(At("bindingTimeout"), JsonString(FormatDuration(*args.binding_timeout)),
                      "must be at least 1 second");
    }
  }

  void operator()(const framework::InterPodAffinityArgs& args) const {
    if (args.hard_pod_affinity_weight < 0 || args.hard_pod_affinity_weight > 100) {
      errors_.Invalid(At("hardPodAffinityWeight"), args.hard_pod_affinity_weight, "not in valid range [0, 100]");
    }
  }

  void operator()(const framework::NodeAffinityArgs& args) const {
    for (const std::string& error : args.selector_errors) errors_.Add(path_.empty() ? error.substr(1) : path_ + error);
  }

  void operator()(const framework::NodeResourcesBalancedAllocationArgs& args) const {
    std::set<std::string_view> seen;
    for (size_t i = 0; i < args.resources.size(); ++i) {
      const framework::ResourceSpec& resource = args.resources[i];
      const std::string path = Index(At("resources"), i);
      if (!seen.insert(resource.name).second) errors_.Duplicate(path + ".name", api::GoQuote(resource.name));
      if (resource.weight != 1) errors_.Invalid(path + ".weight", resource.weight, "must be 1");
    }
  }

  void operator()(const framework::NodeResourcesFitArgs& args) const {
    for (size_t i = 0; i < args.ignored_resources.size(); ++i) {
      ValidateLabelName(args.ignored_resources[i], Index(At("ignoredResources"), i), errors_);
    }
    for (size_t i = 0; i < args.ignored_resource_groups.size(); ++i) {
      const std::string& group = args.ignored_resource_groups[i];
      const std::string path = Index(At("ignoredResourceGroups"), i);
      if (group.contains('/')) errors_.Invalid(path, api::GoQuote(group), "resource group name can't contain '/'");
      ValidateLabelName(group, path, errors_);
    }
    ValidateStrategy(args.scoring_strategy, At("scoringStrategy"));
  }

  void operator()(const framework::PodTopologySpreadArgs& args) const {
    const std::string& type = args.defaulting_type;
    if (type != args.kSystemDefaulting && type != args.kListDefaulting) {
      errors_.NotSupported(At("defaultingType"), JsonString(type), {args.kSystemDefaulting, args.kListDefaulting});
    } else if (type == args.kSystemDefaulting && !args.default_constraints.empty()) {
      errors_.Invalid(At("defaultingType"), JsonString(type), "when .defaultConstraints are not empty");
    }
    for (size_t i = 0; i < args.default_constraints.size(); ++i) {
      ValidateConstraint(args.default_constraints, i, At("defaultConstraints"), errors_);
    }
  }

  void operator()(const framework::VolumeBindingArgs& args) const {
    if (args.bind_timeout_seconds < 0) {
      errors_.Invalid(At("bindTimeoutSeconds"), args.bind_timeout_seconds,
                      "invalid BindTimeoutSeconds, should not be a negative value");
    }
    if (gates_.Enabled(Gate::kStorageCapacityScoring)) {
      ValidateShape(args.shape, At("shape"), errors_);
    } else if (!args.shape.empty()) {
      errors_.Invalid(At("shape"), InternalJson(args.shape),
                      "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring");
    }
  }

  void operator()(const auto&) const {}

 private:
  std::string At(std::string_view field) const { return api::ChildPath(path_, field); }

  void ValidateStrategy(const framework::ScoringStrategy& strategy, const std::string& path) const {
    const bool is_ratio = strategy.type == strategy.kRequestedToCapacityRatio;
    if (!is_ratio && strategy.type != strategy.kLeastAllocated && strategy.type != strategy.kMostAllocated) {
      errors_.NotSupported(path + ".type", JsonString(strategy.type),
                           {strategy.kLeastAllocated, strategy.kMostAllocated, strategy.kRequestedToCapacityRatio});
    }
    for (size_t i = 0; i < strategy.resources.size(); ++i) {
      const framework::ResourceSpec& resource = strategy.resources[i];
      if (resource.weight > 0 && resource.weight <= 100) continue;
      errors_.Invalid(Index(path + ".resources", i) + ".weight", resource.weight,
                      fmt::format("resource weight of {} not in valid range (0, 100]", resource.name));
    }
    const std::string ratio_path = path + ".requestedToCapacityRatio";
    if (is_ratio && !strategy.requested_to_capacity_ratio) {
      errors_.Required(ratio_path, "must be specified when type is RequestedToCapacityRatio");
    } else if (is_ratio) {
      ValidateShape(strategy.requested_to_capacity_ratio->shape, ratio_path + ".shape", errors_);
    } else if (strategy.requested_to_capacity_ratio) {
      errors_.Forbidden(ratio_path, "must be nil when type is not RequestedToCapacityRatio");
    }
  }

  const std::string& path_;
  const framework::FeatureGates& gates_;
  FieldErrors& errors_;
};

}  // namespace

void ValidateArgs(const framework::PluginArgs& args, const std::string& path, const framework::FeatureGates& gates,
                  FieldErrors& errors) {
  std::visit(ArgsValidator(path, gates, errors), args);
}

}  // namespace berth::config
