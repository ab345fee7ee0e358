// SPDX-License-Identifier: Apache-2.0
// Config: reads and writes KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1).
//
// Loading decodes strictly, applies the defaults, validates, and checks that each profile can be built: what comes back
// is complete, and what upstream's binary refuses is refused with the same text. Several validation errors are reported
// together as `[a, b]`; texts of upstream's JSON and YAML libraries are replaced by our own. Files that the
// configuration names (kubeconfig, certificates) are not opened.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/document/value.h"
#include "base/result.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "framework/registry.h"
#include "plugins/registry.h"

namespace berth::config {

inline constexpr std::string_view kGroup = "kubescheduler.config.k8s.io";
inline constexpr std::string_view kApiVersion = "kubescheduler.config.k8s.io/v1";

using Adjustment = std::function<void(framework::SchedulerConfiguration&)>;

// Of a YAML stream the first document is read. `registry` knows the plugins that profiles may enable. `adjust`, if
// given, may change the configuration after the defaults have been filled in and before it is validated.
Result<framework::SchedulerConfiguration> Load(std::string_view yaml_or_json, const framework::FeatureGates& gates,
                                               const framework::Registry& registry = plugins::BuiltIn(),
                                               const Adjustment& adjust = {});

// The configuration of a scheduler that was given none.
framework::SchedulerConfiguration Default(const framework::FeatureGates& gates);

// The configuration as upstream's --write-config-to prints it. An absent percentageOfNodesToScore is printed as 0.
std::string ToJson(const framework::SchedulerConfiguration& configuration);
std::string ToYaml(const framework::SchedulerConfiguration& configuration);
// The tree of that JSON, its members in the same order.
api::Document ToTree(const framework::SchedulerConfiguration& configuration);

}  // namespace berth::config
