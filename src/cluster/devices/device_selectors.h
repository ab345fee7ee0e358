// SPDX-License-Identifier: Apache-2.0
// DeviceSelectors: the expressions that select devices, compiled once and kept while they are asked for.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "cel/device_expression.h"
#include "cluster/tables/recent_values.h"

namespace berth::cluster {

struct CompiledSelector {
  uint64_t id = 0;  // Grows, never reused.
  std::expected<cel::DeviceExpression, cel::CompileError> expression;
};

class DeviceSelectors {
 public:
  std::shared_ptr<const CompiledSelector> Get(const std::string& expression) const {
    return recent_.Get(expression, [&] {
      return std::make_shared<const CompiledSelector>(++last_id_, cel::DeviceExpression::Compile(expression));
    });
  }
  size_t size() const { return recent_.size(); }

 private:
  static constexpr size_t kMax = 512;

  mutable RecentValues<const CompiledSelector> recent_{kMax};
  mutable uint64_t last_id_ = 0;
};

}  // namespace berth::cluster
