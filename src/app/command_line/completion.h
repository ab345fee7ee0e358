// SPDX-License-Identifier: Apache-2.0
// Completion: scripts that teach a shell the commands, flags and values of the program.

#pragma once

#include <string>

#include "app/command_line/command.h"

namespace berth::command_line {

std::string BashCompletion(const Command& program);
std::string ZshCompletion(const Command& program);
std::string FishCompletion(const Command& program);

}  // namespace berth::command_line
