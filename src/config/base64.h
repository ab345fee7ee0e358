// SPDX-License-Identifier: Apache-2.0
// Base64 under the name by which the configuration and its users know it.

#pragma once

#include "base/base64.h"

namespace berth::config {

using berth::DecodeBase64;
using berth::EncodeBase64;

}  // namespace berth::config
