// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources_fit/node_resources_fit.h"

#include <fmt/format.h>

namespace berth::plugins {

void ScoringStrategy::Validate(const std::string& path, framework::FieldErrors& errors) const {
  const bool is_ratio = type == kRequestedToCapacityRatio;
  if (!is_ratio && type != kLeastAllocated && type != kMostAllocated) {
    errors.NotSupported(path + ".type", framework::JsonString(type),
                        {kLeastAllocated, kMostAllocated, kRequestedToCapacityRatio});
  }
  for (size_t i = 0; i < resources.size(); ++i) {
    const framework::ResourceSpec& resource = resources[i];
    if (resource.weight > 0 && resource.weight <= 100) continue;
    errors.Invalid(framework::Index(path + ".resources", i) + ".weight", resource.weight,
                   fmt::format("resource weight of {} not in valid range (0, 100]", resource.name));
  }
  const std::string ratio_path = path + ".requestedToCapacityRatio";
  if (is_ratio && !requested_to_capacity_ratio) {
    errors.Required(ratio_path, "must be specified when type is RequestedToCapacityRatio");
  } else if (is_ratio) {
    framework::ValidateShape(requested_to_capacity_ratio->shape, ratio_path + ".shape", errors);
  } else if (requested_to_capacity_ratio) {
    errors.Forbidden(ratio_path, "must be nil when type is not RequestedToCapacityRatio");
  }
}

void NodeResourcesFit::Args::ReadStrategy(framework::StrictDecoder& decoder, api::Value value, Args& out) {
  if (!value.is_null()) out.scoring_strategy.type.clear();  // A strategy that is given has no default type.
  Decode(decoder, value, out.scoring_strategy);
}

void NodeResourcesFit::Args::Validate(const framework::ArgsCheck& check) const {
  for (size_t i = 0; i < ignored_resources.size(); ++i) {
    check.errors.CheckLabelName(framework::Index(check.At("ignoredResources"), i), ignored_resources[i]);
  }
  for (size_t i = 0; i < ignored_resource_groups.size(); ++i) {
    const std::string& group = ignored_resource_groups[i];
    const std::string path = framework::Index(check.At("ignoredResourceGroups"), i);
    if (group.contains('/')) {
      check.errors.Invalid(path, api::GoQuote(group), "resource group name can't contain '/'");
    }
    check.errors.CheckLabelName(path, group);
  }
  scoring_strategy.Validate(check.At("scoringStrategy"), check.errors);
}

Result<std::unique_ptr<framework::Plugin>> NodeResourcesFit::Create(const framework::PluginContext& context) {
  return std::make_unique<NodeResourcesFit>(
      context.args.ValueOr<Args>(),
      context.gates.Enabled(framework::Gate::kInPlacePodVerticalScalingSchedulerPreemption));
}

NodeResourcesFit::NodeResourcesFit(Args args, bool resizes)
    : ignored_resources_(args.ignored_resources.begin(), args.ignored_resources.end()),
      ignored_resource_groups_(args.ignored_resource_groups.begin(), args.ignored_resource_groups.end()),
      strategy_(std::move(args.scoring_strategy)),
      resizes_(resizes) {
  if (strategy_.type == ScoringStrategy::kRequestedToCapacityRatio) {
    ratio_shape_ = BrokenLinear::FromShape(strategy_.requested_to_capacity_ratio->shape);
  }
}

bool NodeResourcesFit::Ignores(std::string_view scalar) const {
  if (!cluster::IsExtendedName(scalar)) return false;
  return ignored_resources_.contains(scalar) || ignored_resource_groups_.contains(scalar.substr(0, scalar.find('/')));
}

}  // namespace berth::plugins
