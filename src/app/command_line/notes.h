// SPDX-License-Identifier: Apache-2.0
// Notes: what a command tells its user besides its results, on standard error.

#pragma once

#include <string>
#include <vector>

namespace berth::app {

// Names and values from the input may be of any length: lines that are very long are cut.
std::string Shorten(const std::string& text);

// One line each, after "note: ".
void PrintNotes(const std::vector<std::string>& notes);

}  // namespace berth::app
