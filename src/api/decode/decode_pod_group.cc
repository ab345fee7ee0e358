// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "api/decode/decode_kinds.h"
#include "api/decode/decode_parts.h"

namespace berth::api {
namespace {

// `count` is how the kind calls the number of members that must be placed.
void ReadGroupSpec(FieldReader& spec, std::string_view count, GroupSpec& out) {
  FieldReader policy = spec.Child("schedulingPolicy");
  FieldReader gang = policy.Child("gang");
  if (policy.Has("gang")) out.min_count = 0;
  gang.Read(count, out.min_count);
  spec.Read("priority", out.priority);
  out.is_disrupted_as_one = spec.Child("disruptionMode").Has("all");
  std::vector<std::string> keys;
  spec.Child("schedulingConstraints").Read("topology", keys, [](FieldReader& r, std::string& key) {
    r.Read("key", key);
  });
  if (!keys.empty()) out.topology_key = std::move(keys.front());
  spec.Read("preemptionPolicy", out.preemption_policy);
  spec.Read("parentCompositePodGroupName", out.parent);
}

}  // namespace

void ReadPodGroup(FieldReader& r, PodGroup& group) {
  FieldReader spec = r.Child("spec");
  ReadGroupSpec(spec, "minCount", group.spec);
  spec.Read("resourceClaims", group.claims, ReadPodResourceClaim);
  FieldReader status = r.Child("status");
  status.Read("conditions", group.conditions, ReadPodCondition);
  status.Read("resourceClaimStatuses", group.claim_statuses, ReadResourceClaimStatus);
}

void ReadCompositePodGroup(FieldReader& r, CompositePodGroup& group) {
  FieldReader spec = r.Child("spec");
  ReadGroupSpec(spec, "minGroupCount", group.spec);
}

}  // namespace berth::api
