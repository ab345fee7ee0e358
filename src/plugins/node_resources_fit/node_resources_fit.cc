// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::plugins {

NodeResourcesFit::NodeResourcesFit(framework::NodeResourcesFitArgs args)
    : ignored_resources_(args.ignored_resources.begin(), args.ignored_resources.end()),
      ignored_resource_groups_(args.ignored_resource_groups.begin(), args.ignored_resource_groups.end()),
      strategy_(std::move(args.scoring_strategy)) {
  if (strategy_.type == framework::ScoringStrategy::kRequestedToCapacityRatio) {
    ratio_shape_ = BrokenLinear::FromShape(strategy_.requested_to_capacity_ratio->shape);
  }
}

Result<std::unique_ptr<framework::Plugin>> NodeResourcesFit::Create(const framework::PluginContext& context) {
  const auto* args = std::get_if<framework::NodeResourcesFitArgs>(&context.args);
  return std::make_unique<NodeResourcesFit>(args == nullptr ? framework::NodeResourcesFitArgs{} : *args);
}

bool NodeResourcesFit::Ignores(std::string_view scalar) const {
  if (!cluster::IsExtendedName(scalar)) return false;
  return ignored_resources_.contains(scalar) || ignored_resource_groups_.contains(scalar.substr(0, scalar.find('/')));
}

}  // namespace berth::plugins
