// SPDX-License-Identifier: Apache-2.0
// How many files, connections among them, the process may have open.

#pragma once

#include <cstddef>

namespace berth::app {

// Raises the limit as far as the system lets it and says what it is.
size_t RaiseFileLimit();

}  // namespace berth::app
