// SPDX-License-Identifier: Apache-2.0
// What the arguments of several plugins consist of: weighted resources, and scores by utilization.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/args/args_writer.h"
#include "framework/args/field_errors.h"

namespace berth::framework {

struct ResourceSpec {
  std::string name;
  int64_t weight = 0;  // 0 becomes 1 when defaulted.

  static constexpr auto Fields() {
    return std::array{Member<&ResourceSpec::name>("name"), Member<&ResourceSpec::weight>("weight")};
  }
  bool operator==(const ResourceSpec&) const = default;
};

// Those that count where none are given: cpu and memory.
std::vector<ResourceSpec> DefaultResources();
// Fills in the list, and weights of 0.
void CompleteResources(std::vector<ResourceSpec>& resources);

struct UtilizationShapePoint {
  int32_t utilization = 0;  // 0 to 100.
  int32_t score = 0;        // 0 to 10.

  static constexpr auto Fields() {
    return std::array{Member<&UtilizationShapePoint::utilization>("utilization"),
                      Member<&UtilizationShapePoint::score>("score")};
  }
  bool operator==(const UtilizationShapePoint&) const = default;
};

void ValidateShape(const std::vector<UtilizationShapePoint>& shape, const std::string& path, FieldErrors& errors);

}  // namespace berth::framework
