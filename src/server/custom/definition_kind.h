// SPDX-License-Identifier: Apache-2.0
// The rules of CustomResourceDefinitions themselves. What they bring about is in custom_kinds.h and definitions.h.

#pragma once

#include <memory>
#include <string_view>

#include "server/model/strategy.h"

namespace berth::server {

// Holds a definition until its objects are gone.
inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

std::unique_ptr<Strategy> MakeCustomResourceDefinitionStrategy();

// Sets a condition of a definition: the time changes only with the status.
void SetDefinitionCondition(Json& definition, std::string_view type, std::string_view status, std::string_view reason,
                            std::string_view message, Time now);
bool IsDefinitionCondition(const Json& definition, std::string_view type, std::string_view status);

}  // namespace berth::server
