// SPDX-License-Identifier: Apache-2.0
// Changes of a pod's group.
#include <fmt/format.h>

#include <utility>

#include "explain/counterfactual_search.h"
#include "explain/json_patch_ops.h"
#include "world/elsewhere.h"

namespace berth::explain {

Result<void> CounterfactualSearch::TryMinCount() {
  if (!is_member()) return {};
  constexpr double kFewerMembers = 2;  // None.
  const cluster::PodGroupState& group = *core_.cluster().groups.Find({false, pod_.meta.ns, pod_.spec.scheduling_group});
  if (group.object == nullptr || !group.object->spec.min_count) return {};
  const int64_t present = *group.object->spec.min_count;
  const auto with_count = [&](int64_t count) -> What {
    api::PodGroup changed = *group.object;
    changed.spec.min_count = static_cast<int32_t>(count);
    world::Touch(changed.meta);
    return scheduler::PutObject{std::move(changed)};
  };
  const std::optional<int64_t> count =
      BERTH_TRY(Largest(1, present, [&](int64_t tried) { return TryAfter({with_count(tried)}); }));
  if (!count) return {};
  api::Json operation = Operation("replace", "/spec/schedulingPolicy/gang/minCount", api::Json::Int(*count));
  Counterfactual change{
      .kind = "lowerMinCount",
      .text = fmt::format("lower minCount of the group {} from {} to {}", pod_.spec.scheduling_group, present, *count),
      .size = kFewerMembers * static_cast<double>(present - *count) / static_cast<double>(present),
      .patches = {{"PodGroup", pod_.meta.ns, pod_.spec.scheduling_group, api::Json::MakeList({std::move(operation)})}}};
  BERTH_CHECK_OK(ConsiderAfter({with_count(*count)}, std::move(change)));
  return {};
}

}  // namespace berth::explain
