// SPDX-License-Identifier: Apache-2.0
// A certificate of the pod as a source of a projected volume.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// All but its paths.
void ValidatePodCertificate(const Json& source, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
