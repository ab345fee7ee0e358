// SPDX-License-Identifier: Apache-2.0
// Where a webhook is called, as it is checked when it is written.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// Reports what is wrong with a WebhookClientConfig.
void CheckClientConfig(const Json& config, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
