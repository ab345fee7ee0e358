// SPDX-License-Identifier: Apache-2.0
// All controllers of a simulated cluster.

#pragma once

#include "server/controllers/controller_loop.h"

namespace berth::server {

void AddControllers(ControllerLoop& loop);

}  // namespace berth::server
