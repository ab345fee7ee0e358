// SPDX-License-Identifier: Apache-2.0
// What may change about a pod once it exists: little of its spec, and its status within limits.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/json.h"

namespace berth::server {

void ValidatePodUpdate(const Json& pod, const Json& old, FieldErrors& errors);

void ValidatePodStatusUpdate(const Json& pod, const Json& old, FieldErrors& errors);

}  // namespace berth::server
