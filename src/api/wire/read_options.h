// SPDX-License-Identifier: Apache-2.0
// ReadOptions: what of an object is passed over when it is read by the wire table.

#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "api/wire/table.h"

namespace berth::api::wire {

struct ReadOptions {
  // JSON names of fields that the caller never reads, such as managedFields: they are skipped wherever they stand.
  std::span<const std::string_view> leave_out = {};
  // Parts that may hold any JSON, such as the parameters of a device driver. Left out they are not looked at, so it
  // does not matter what they hold.
  bool leave_out_opaque = false;

  bool LeavesOut(const Field& field) const {
    if (leave_out_opaque && field.type == Type::kMessage && MessageAt(field.message).is_opaque()) return true;
    return std::ranges::find(leave_out, field.name()) != leave_out.end();
  }
};

}  // namespace berth::api::wire
