// SPDX-License-Identifier: Apache-2.0
// One metric of an autoscaler, or its present value, in the forms of autoscaling/v2 and autoscaling/v1.

#pragma once

#include <cstdint>
#include <string>

#include "server/model/json.h"

namespace berth::server {

// The use of processors, in percent, that autoscalers without metrics aim at.
inline constexpr int64_t kDefaultProcessorUse = 80;

enum class MetricPart : uint8_t { kTarget, kCurrent };

// From v1 to v2. What v1 does not know is dropped; types are not checked.
Json ToNewMetric(const Json& metric, MetricPart part);
// From v2 to the text of v1, with its members in upstream's order.
std::string OldMetricText(const Json& metric, MetricPart part);

}  // namespace berth::server
