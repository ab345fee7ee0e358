// SPDX-License-Identifier: Apache-2.0
// Single checks of validation that several kinds share. Each appends to `errors` what is wrong at `path`.

#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "api/parts/resource_list.h"
#include "api/parts/selector.h"
#include "app/simulate/validate.h"

namespace berth::simulate {

using KnownValues = std::span<const std::string_view>;
inline constexpr std::array<std::string_view, 3> kTaintEffects = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
inline constexpr std::array<std::string_view, 2> kVolumeModes = {"Filesystem", "Block"};
inline constexpr std::array<std::string_view, 2> kBindingModes = {"Immediate", "WaitForFirstConsumer"};
inline constexpr std::array<std::string_view, 4> kAccessModes = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                                                 "ReadWriteOncePod"};
inline constexpr std::array<std::string_view, 3> kProtocols = {"TCP", "UDP", "SCTP"};
inline constexpr std::array<std::string_view, 4> kTolerationOperators = {"Equal", "Exists", "Lt", "Gt"};
inline constexpr std::array<std::string_view, 2> kInclusionPolicies = {"Honor", "Ignore"};
inline constexpr std::array<std::string_view, 2> kUnsatisfiableActions = {"DoNotSchedule", "ScheduleAnyway"};
inline constexpr std::array<std::string_view, 2> kPreemptionPolicies = {"PreemptLowerPriority", "Never"};

void CheckOneOf(std::string_view value, KnownValues known, std::string_view path, FieldErrors& errors);
void CheckPreemptionPolicy(std::string_view policy, std::string_view path, FieldErrors& errors);
void CheckAmounts(const api::ResourceList& amounts, std::string_view path, FieldErrors& errors);
void CheckSelector(const std::optional<api::LabelSelector>& selector, std::string_view path, FieldErrors& errors);
void CheckNodeSelector(const api::NodeSelector& selector, std::string_view path, FieldErrors& errors);

}  // namespace berth::simulate
