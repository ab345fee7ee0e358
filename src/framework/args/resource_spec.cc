// SPDX-License-Identifier: Apache-2.0
#include "framework/args/resource_spec.h"

#include <algorithm>
#include <functional>

namespace berth::framework {

std::vector<ResourceSpec> DefaultResources() { return {{"cpu", 1}, {"memory", 1}}; }

void CompleteResources(std::vector<ResourceSpec>& resources) {
  if (resources.empty()) resources = DefaultResources();
  for (ResourceSpec& resource : resources) {
    if (resource.weight == 0) resource.weight = 1;
  }
}

void ValidateShape(const std::vector<UtilizationShapePoint>& shape, const std::string& path, FieldErrors& errors) {
  if (shape.empty()) return errors.Required(path, "at least one point must be specified");
  const auto unsorted = std::ranges::adjacent_find(shape, std::greater_equal(), &UtilizationShapePoint::utilization);
  if (unsorted != shape.end()) {
    const auto index = static_cast<size_t>(unsorted - shape.begin()) + 1;
    errors.Invalid(Index(path, index) + ".utilization", shape[index].utilization,
                   "values must be sorted in increasing order");
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].utilization < 0 || shape[i].utilization > 100) {
      errors.Invalid(Index(path, i) + ".utilization", shape[i].utilization, "not in valid range [0, 100]");
    }
    if (shape[i].score < 0 || shape[i].score > 10) {
      errors.Invalid(Index(path, i) + ".score", shape[i].score, "not in valid range [0, 10]");
    }
  }
}

}  // namespace berth::framework
