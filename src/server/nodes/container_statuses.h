// SPDX-License-Identifier: Apache-2.0
// What a kubelet says of a container in the status of its pod: whether it waits, runs or has ended, since when, and
// with which resources.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/model/json.h"

namespace berth::server {

// Of a container that was killed, as shells have it: 128 and the number of SIGKILL.
inline constexpr int64_t kKilledExitCode = 137;
// Of one that ended because it was told to; likewise with SIGTERM.
inline constexpr int64_t kToldToEndExitCode = 143;

// How a container ended.
struct ContainerEnd {
  int64_t exit_code = 0;
  std::string started;  // Times as objects have them.
  std::string finished;
};

// Of a container that was never started. `reason` says what it waits for.
Json WaitingStatus(const Json& container, std::string_view reason);

// It starts, or starts again: what ended before is its last state, and is counted.
void SetRunning(Json& status, const Json& container, const std::string& now, bool is_ready);
// It will start again later, or for the first time; `reason` says what keeps it.
void SetBackOff(Json& status, std::string_view reason, std::string message);
// It has ended. Only an init container is ready after that, if it did not fail.
void SetTerminated(Json& status, const ContainerEnd& end, bool is_ready);

// It has what it asks for.
void GiveResources(Json& status, const Json& container);

// The status of this name; null if there is none.
Json* FindStatus(Json::List& statuses, std::string_view name);
const Json& FindStatus(const Json& statuses, std::string_view name);

}  // namespace berth::server
