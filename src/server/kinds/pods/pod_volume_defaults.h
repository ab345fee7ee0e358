// SPDX-License-Identifier: Apache-2.0
// What a volume of a pod gets where its author said nothing.

#pragma once

#include "server/model/json.h"

namespace berth::server {

void DefaultVolume(Json& volume);

// The spec of a claim: of its own kind and of templates for claims.
void DefaultClaimSpec(Json& spec);

}  // namespace berth::server
