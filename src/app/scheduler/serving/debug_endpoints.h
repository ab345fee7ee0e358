// SPDX-License-Identifier: Apache-2.0
// /debug/flags, where the verbosity of the log can be changed, and /debug/pprof, whose profiles are those of Go
// programs: it is answered as if there were none.

#pragma once

#include <string>

#include "app/scheduler/serving/answer.h"
#include "net/http_server.h"

namespace berth::scheduler_app {

// REQUIRES: `path` starts with /debug/.
Answer ServeDebug(const net::ServerRequest& request, const std::string& path);

}  // namespace berth::scheduler_app
