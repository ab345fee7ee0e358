// SPDX-License-Identifier: Apache-2.0
// PolicyArguments: what the entries of a policy say to the plugins that stand for them.
//
// Entries of one kind share one plugin, so their labels are collected.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "config/policy/policy.h"
#include "framework/feature_gates.h"
#include "framework/plugin_args.h"
#include "plugins/legacy/node_label.h"
#include "plugins/legacy/resource_allocation.h"
#include "plugins/legacy/service_affinity.h"

namespace berth::config {

struct PolicyArguments {
  std::optional<plugins::legacy::NodeLabel::Args> node_label;
  std::optional<plugins::legacy::ServiceAffinity::Args> service_affinity;
  std::optional<plugins::legacy::ResourceAllocation::RatioArgs> requested_to_capacity_ratio;
  int32_t hard_pod_affinity_weight = 1;
  std::optional<int32_t> max_pd_volumes;
  bool spreads_by_default = true;  // PodTopologySpread has the system's default constraints.

  void Add(const ServiceAffinityArgument& argument);
  void Add(const LabelsPresenceArgument& argument);
  void Add(const ServiceAntiAffinityArgument& argument);
  void Add(const LabelPreferenceArgument& argument);
  void Set(const RequestedToCapacityRatioArgument& argument);

  // The weight of a score plugin whose entries have `weight`: as many times that as there are entries, in 32 bits,
  // which may wrap. Fails where upstream crashes: a priority has the name of a plugin that was told nothing.
  Result<int32_t> WeightOf(std::string_view plugin, int64_t weight) const;

  // The arguments of `plugin` after defaulting, checked. Fails if v1.22's plugin would miss them.
  Result<framework::PluginArgs> ArgsOf(std::string_view plugin, PolicyCompat compat,
                                       const framework::FeatureGates& gates) const;
};

}  // namespace berth::config
