// SPDX-License-Identifier: Apache-2.0
// The OpenAPI document of what is answered under /berth/v1/.

#pragma once

#include <string_view>

namespace berth::explain {

extern const std::string_view kOpenApi;

}  // namespace berth::explain
