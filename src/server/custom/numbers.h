// SPDX-License-Identifier: Apache-2.0
// Numbers of custom resources as upstream, which decodes them to int64 or double, writes them again.

#pragma once

#include <string>

#include "base/result.h"
#include "server/model/json.h"

namespace berth::server {

// Brings all numbers of the tree into their shortest form: 1.0 becomes 1. Fails if one is beyond the range of double.
Result<void> NormalizeNumbers(Json& tree);

// As Go prints a double among other things: with an exponent below 1e-4 and from 1e6 on.
// REQUIRES: it is finite.
std::string PrintedDouble(double number);

}  // namespace berth::server
