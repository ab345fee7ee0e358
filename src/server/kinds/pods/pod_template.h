// SPDX-License-Identifier: Apache-2.0
// Templates from which controllers make pods.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

void DefaultPodTemplate(Json& pod_template);

void ValidatePodTemplate(const Json& pod_template, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
