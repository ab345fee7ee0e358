// SPDX-License-Identifier: Apache-2.0
// The volume by which the containers of a pod find the API server: a token, its certificates and the namespace.

#pragma once

#include "base/random.h"
#include "server/model/json.h"

namespace berth::server {

// Adds it to the spec of a pod and mounts it in every container that has nothing else in its place. All pods share what
// the volume consists of.
void MountAccountToken(Json& spec, Random& random);

}  // namespace berth::server
