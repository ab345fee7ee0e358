// SPDX-License-Identifier: Apache-2.0
// What is valid in ingresses and their classes.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

void ValidateIngressSpec(const Json& spec, const FieldPath& path, FieldErrors& errors);
void ValidateIngressClassSpec(const Json& spec, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
