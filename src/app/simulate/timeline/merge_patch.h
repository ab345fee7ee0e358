// SPDX-License-Identifier: Apache-2.0
// MergePatch: JSON merge patch (RFC 7386): maps are merged, null removes a member, everything else replaces.

#pragma once

#include <string>

#include "api/document/value.h"

namespace berth::simulate {

// `target` with `patch` applied, as JSON.
std::string MergePatch(api::Value target, api::Value patch);

}  // namespace berth::simulate
