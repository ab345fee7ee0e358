// SPDX-License-Identifier: Apache-2.0
// Validation of a defaulted configuration, with upstream's texts in upstream's order.

#pragma once

#include <functional>
#include <string>

#include "framework/args/field_errors.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"

namespace berth::config {

// Everything that can be said without building the profiles, which includes most arguments of plugins.
framework::FieldErrors Validate(const framework::SchedulerConfiguration& configuration,
                                const framework::FeatureGates& gates);

// Whether `name` can be a resource that extenders or devices offer: qualified and none of Kubernetes' own.
bool IsExtendedResourceName(const std::string& name);

// Appends what is wrong with the name of a managed resource.
using ManagedResourceCheck =
    std::function<void(const std::string& name, const std::string& path, framework::FieldErrors& errors)>;
void ValidateManagedResource(const std::string& name, const std::string& path, framework::FieldErrors& errors);

void ValidateExtenders(const std::vector<framework::ExtenderConfiguration>& extenders, framework::FieldErrors& errors,
                       const ManagedResourceCheck& check_resource = ValidateManagedResource);

// The sort order of the queue must be the same in all profiles.
void ValidateCommonQueueSort(const std::vector<framework::ProfileConfiguration>& profiles,
                             framework::FieldErrors& errors);

}  // namespace berth::config
