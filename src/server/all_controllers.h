// SPDX-License-Identifier: Apache-2.0
// All controllers of a simulated cluster.

#pragma once

#include <string>

#include "server/controllers/controller_loop.h"

namespace berth::server {

// `root_ca`: the certificates that pods know the API server by, PEM; "" if it has no TLS.
void AddControllers(ControllerLoop& loop, std::string root_ca = {});

}  // namespace berth::server
