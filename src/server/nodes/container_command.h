// SPDX-License-Identifier: Apache-2.0
// What a container does by its command, for the commands that tests are made of: how long it runs and with which code
// it exits.
//
// These are `sleep`, `true`, `false` and `echo`, and scripts for a shell (`sh -c`) that consist of these and of `exit`,
// joined by `;`, `&&`, `||` and new lines. A container without a command that has the image `pause`, or `agnhost` with
// its command `pause`, runs for ever. Nothing is executed, and of everything else nothing is said.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

struct ContainerCommand {
  std::optional<Duration> runs;  // None: for ever.
  int64_t exit_code = 0;
  // Whether it ends when it is told to. The kernel keeps such signals from the first process of a container unless that
  // has asked for them, as shells and `sleep` have not.
  bool heeds_signals = false;

  bool operator==(const ContainerCommand&) const = default;
};

// None: it cannot be told. Cost: by the length of the command; scripts of more than 4 KiB are not looked at.
std::optional<ContainerCommand> ReadContainerCommand(const Json& container);

// What a shell makes of a script.
std::optional<ContainerCommand> ReadShellScript(std::string_view script);

}  // namespace berth::server
