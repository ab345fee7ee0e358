// SPDX-License-Identifier: Apache-2.0
// The two views of an autoscaler: autoscaling/v2, in which it is kept, and autoscaling/v1.
//
// v1 knows a target for the use of processors alone. What else v2 says of metrics, behavior and conditions stands in
// annotations there, which exist in that view only. Objects are taken and given in canonical form; an annotation that
// makes no sense is dropped.

#pragma once

#include "server/model/json.h"

namespace berth::server {

Json ToNewAutoscaler(Json autoscaler);
Json ToOldAutoscaler(Json autoscaler);

}  // namespace berth::server
