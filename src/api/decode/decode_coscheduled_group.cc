// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode_kinds.h"
#include "api/decode/decode_parts.h"

namespace berth::api {

void ReadCoscheduledGroup(FieldReader& r, CoscheduledGroup& group) {
  FieldReader spec = r.Child("spec");
  spec.Read("minMember", group.min_member);
  spec.Read("minResources", group.min_resources);
  spec.Read("scheduleTimeoutSeconds", group.schedule_timeout_seconds);
}

}  // namespace berth::api
