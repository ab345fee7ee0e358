// SPDX-License-Identifier: Apache-2.0
// Scales: how many replicas an object asks for, whatever its kind.

#pragma once

#include <cstdint>

#include "server/model/json.h"
#include "server/model/resource.h"
#include "server/model/status.h"

namespace berth::server {

// The Scale of an object, as autoscaling/v1 shows it. REQUIRES, here and below: the resource has scales.
Json MakeScale(const Resource& resource, const Json& object);
// Upstream refuses to show a scale without the number that it is about.
Outcome<void> CheckScale(const Resource& resource, const Json& object);
void SetReplicas(const Resource& resource, Json& object, int64_t replicas);

}  // namespace berth::server
