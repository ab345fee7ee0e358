// SPDX-License-Identifier: Apache-2.0
// Resources that are asked for a pod as a whole, and the class of service that follows from them.

#pragma once

#include <string_view>
#include <vector>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// Fills requests and limits of the pod from those of its containers, if some are given.
void DefaultPodLevelResources(Json& spec);

void ValidatePodLevelResources(const Json& spec, const std::vector<std::string_view>& claims, const FieldPath& path,
                               FieldErrors& errors);

// Guaranteed, Burstable or BestEffort.
std::string_view QosClass(const Json& spec);

}  // namespace berth::server
