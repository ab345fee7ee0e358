// SPDX-License-Identifier: Apache-2.0
// Which plugins stand for the predicates and priorities of v1.21 and v1.22.

#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "framework/extension_points.h"

namespace berth::config {

// That `name` enables `plugin` at `points`. One name may have several rows.
struct PolicyPluginRow {
  std::string_view name;
  std::string_view plugin;
  framework::PointSet points;
};

// In the order in which predicates are evaluated, whatever the order in the policy.
std::span<const PolicyPluginRow> PredicatePlugins();
// Sorted by name, which is the order in which priorities run.
std::span<const PolicyPluginRow> PriorityPlugins();

// Those of a policy that lists none.
std::span<const std::string_view> DefaultPredicates();
struct DefaultPriority {
  std::string_view name;
  int64_t weight;
};
std::span<const DefaultPriority> DefaultPriorities();

// Added to every policy.
std::span<const std::string_view> MandatoryPredicates();

bool IsKnownPredicate(std::string_view name);
bool IsKnownPriority(std::string_view name);

}  // namespace berth::config
