// SPDX-License-Identifier: Apache-2.0
// The order of the versions of a group: v2, v1, v1beta2, v1beta1, v1alpha1, and behind them those of other forms.

#pragma once

#include <string_view>

namespace berth::server {

// Whether clients prefer `left`. Versions of other forms are ordered by name.
bool VersionGoesBefore(std::string_view left, std::string_view right);

}  // namespace berth::server
