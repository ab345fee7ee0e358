// SPDX-License-Identifier: Apache-2.0
// Validation of a defaulted configuration, with upstream's texts in upstream's order.

#pragma once

#include <functional>
#include <string>

#include "config/field_errors.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"

namespace berth::config {

// Everything that can be said without building the profiles. NodeResourcesFit's arguments are not looked at here:
// upstream leaves them to the plugin.
FieldErrors Validate(const framework::SchedulerConfiguration& configuration, const framework::FeatureGates& gates);

// The arguments of one plugin, whatever its type; `path` is the path of the args.
void ValidateArgs(const framework::PluginArgs& args, const std::string& path, const framework::FeatureGates& gates,
                  FieldErrors& errors);

// Whether `name` can be a resource that extenders or devices offer: qualified and none of Kubernetes' own.
bool IsExtendedResourceName(const std::string& name);

// Appends what is wrong with the name of a managed resource.
using ManagedResourceCheck = std::function<void(const std::string& name, const std::string& path, FieldErrors& errors)>;
void ValidateManagedResource(const std::string& name, const std::string& path, FieldErrors& errors);

void ValidateExtenders(const std::vector<framework::ExtenderConfiguration>& extenders, FieldErrors& errors,
                       const ManagedResourceCheck& check_resource = ValidateManagedResource);

// The sort order of the queue must be the same in all profiles.
void ValidateCommonQueueSort(const std::vector<framework::ProfileConfiguration>& profiles, FieldErrors& errors);

}  // namespace berth::config
