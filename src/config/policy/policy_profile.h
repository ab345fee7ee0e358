// SPDX-License-Identifier: Apache-2.0
// ProfileBuilder: puts together the one profile that a policy or a provider amounts to.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/policy/from_policy.h"
#include "config/policy/policy_arguments.h"
#include "framework/configuration.h"
#include "framework/extension_points.h"

namespace berth::config {

// Extenders in calling order, with effective timeouts. Fails with what is wrong with their TLS settings.
Result<std::vector<framework::ExtenderConfiguration>> CompletePolicyExtenders(
    std::vector<framework::ExtenderConfiguration> extenders, const PolicyOptions& options);

// The resources that extenders account for instead of the scheduler.
std::vector<std::string> IgnoredByScheduler(const std::vector<framework::ExtenderConfiguration>& extenders);

class ProfileBuilder {
 public:
  // Appends the plugin, unless it is there. The weight counts at the score point only; the first one given stays.
  void Enable(framework::ExtensionPoint point, std::string_view plugin, int32_t weight = 0);
  void Enable(framework::PointSet points, std::string_view plugin, int32_t weight = 0);
  void RunAllFilters(bool run_all) { profile_.run_all_filters = run_all; }

  // Adds the name, the plugins' arguments and the extenders, with the checks of the release.
  Result<framework::SchedulerConfiguration> Build(const PolicyArguments& arguments,
                                                  std::vector<framework::ExtenderConfiguration> extenders,
                                                  const PolicyOptions& options,
                                                  const framework::FeatureGates& gates) &&;

 private:
  bool IsEnabled(std::string_view plugin) const;

  framework::ProfileConfiguration profile_;
};

}  // namespace berth::config
