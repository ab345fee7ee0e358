// SPDX-License-Identifier: Apache-2.0
// Single checks of validation that several kinds share. Each appends to `errors` what is wrong at `path`.

#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "api/resource_list.h"
#include "api/selector.h"
#include "app/simulate/validate.h"

namespace berth::simulate {

inline constexpr std::initializer_list<std::string_view> kTaintEffects = {"NoSchedule", "PreferNoSchedule",
                                                                          "NoExecute"};
inline constexpr std::initializer_list<std::string_view> kVolumeModes = {"Filesystem", "Block"};
inline constexpr std::initializer_list<std::string_view> kAccessModes = {"ReadWriteOnce", "ReadOnlyMany",
                                                                         "ReadWriteMany", "ReadWriteOncePod"};

void CheckOneOf(std::string_view value, std::initializer_list<std::string_view> known, std::string_view path,
                FieldErrors& errors);
void CheckPreemptionPolicy(std::string_view policy, std::string_view path, FieldErrors& errors);
void CheckAmounts(const api::ResourceList& amounts, std::string_view path, FieldErrors& errors);
void CheckSelector(const std::optional<api::LabelSelector>& selector, std::string_view path, FieldErrors& errors);
void CheckNodeSelector(const api::NodeSelector& selector, std::string_view path, FieldErrors& errors);

}  // namespace berth::simulate
