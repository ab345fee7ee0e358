// SPDX-License-Identifier: Apache-2.0
// What a write through /resize may change about a pod: the cpu and memory of its containers and of the pod as a whole.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/json.h"

namespace berth::server {

// Takes all but resources and resize policies from `old`, unless the containers are not the same ones, which is left
// for the validation to find.
void PreparePodResize(Json& pod, const Json& old);

void ValidatePodResize(const Json& pod, const Json& old, FieldErrors& errors);

}  // namespace berth::server
