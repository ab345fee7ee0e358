// SPDX-License-Identifier: Apache-2.0
// What claims to devices use of quotas.

#pragma once

#include <string_view>

#include "server/admission/quota_usage.h"

namespace berth::server {

bool IsDeviceClaims(const Resource& resource);

// Whether a quota of this name is about devices: of a class, or of what an extended resource stands for.
bool IsDeviceQuota(std::string_view name, const QuotaView& view);

// The devices that a claim may get at most. Those for an extended resource that its pod counts already are left out
// under the name of that resource.
Amounts DevicesOfClaim(const Json& claim, const QuotaView& view);

}  // namespace berth::server
