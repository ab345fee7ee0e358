// SPDX-License-Identifier: Apache-2.0
// Manual pages: one for the program and one for each of its commands, in the language of man(7).

#pragma once

#include <string>
#include <vector>

#include "app/command_line/command.h"

namespace berth::command_line {

struct ManPage {
  std::string file_name;  // "berth-simulate.1".
  std::string text;
};

// The page of the program first. `version` is what the pages say they are of, such as "Berth 0.1.0".
std::vector<ManPage> ManPages(const Command& program, const std::string& version);

}  // namespace berth::command_line
