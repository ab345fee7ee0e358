// SPDX-License-Identifier: Apache-2.0
// HelpText: what `--help` prints about a command.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/command_line/command.h"

namespace berth::command_line {

// No line is longer than `columns`, unless a single word or an example is.
std::string HelpText(const Command& command, size_t columns = 80);

// Breaks lines at spaces. Paragraphs are filled; indented lines stay as they are. Each line but the first begins with
// `indent` spaces, which count as part of its width.
std::string Fill(std::string_view text, size_t columns, size_t indent = 0);

}  // namespace berth::command_line
