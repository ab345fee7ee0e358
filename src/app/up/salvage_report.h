// SPDX-License-Identifier: Apache-2.0
// PrintLosses: says on standard error what was damaged in a data directory and left out.

#pragma once

#include <string>
#include <string_view>

#include "server/store/journal.h"

namespace berth::up {

// Nothing if nothing was. `command` is who says it.
void PrintLosses(std::string_view command, const std::string& directory, const server::Journal::Restored& restored);

}  // namespace berth::up
