// SPDX-License-Identifier: Apache-2.0
// Policy: the legacy scheduler Policy document (kind Policy, apiVersion v1) as plain data.
//
// It is what the document says, nothing more: no defaults are filled in, names are not looked up and values are not
// checked, because each release judged them in its own way (policy/from_policy.h). Decoding differs by release, too:
// v1.16 ignores unknown and repeated keys, v1.21 and v1.22 refuse them. Entries of `extenders` are read without regard
// to case, and unknown keys in them are ignored, by all releases.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "framework/args/resource_spec.h"
#include "framework/configuration.h"

namespace berth::config {

// Whose reading of a policy applies.
enum class PolicyCompat : uint8_t { kV116, kV121, kV122 };

// From "v1.16", "v1.21" or "v1.22", as --policy-compat takes it.
Result<PolicyCompat> ParsePolicyCompat(std::string_view text);

struct ServiceAffinityArgument {
  std::vector<std::string> labels;

  bool operator==(const ServiceAffinityArgument&) const = default;
};

struct LabelsPresenceArgument {
  std::vector<std::string> labels;
  bool presence = false;

  bool operator==(const LabelsPresenceArgument&) const = default;
};

struct PredicateArgument {
  std::optional<ServiceAffinityArgument> service_affinity;
  std::optional<LabelsPresenceArgument> labels_presence;

  bool operator==(const PredicateArgument&) const = default;
};

struct PolicyPredicate {
  std::string name;
  std::optional<PredicateArgument> argument;

  bool operator==(const PolicyPredicate&) const = default;
};

struct ServiceAntiAffinityArgument {
  std::string label;

  bool operator==(const ServiceAntiAffinityArgument&) const = default;
};

struct LabelPreferenceArgument {
  std::string label;
  bool presence = false;

  bool operator==(const LabelPreferenceArgument&) const = default;
};

// v1.16 reads 64-bit integers here, later releases refuse what does not fit into 32 bits.
struct PolicyShapePoint {
  int64_t utilization = 0;
  int64_t score = 0;

  bool operator==(const PolicyShapePoint&) const = default;
};

struct RequestedToCapacityRatioArgument {
  std::vector<PolicyShapePoint> shape;
  std::vector<framework::ResourceSpec> resources;

  bool operator==(const RequestedToCapacityRatioArgument&) const = default;
};

struct PriorityArgument {
  std::optional<ServiceAntiAffinityArgument> service_anti_affinity;
  std::optional<LabelPreferenceArgument> label_preference;
  std::optional<RequestedToCapacityRatioArgument> requested_to_capacity_ratio;

  bool operator==(const PriorityArgument&) const = default;
};

struct PolicyPriority {
  std::string name;
  int64_t weight = 0;
  std::optional<PriorityArgument> argument;

  bool operator==(const PolicyPriority&) const = default;
};

struct Policy {
  // Absent: the defaults of the release. Empty: none but the mandatory ones.
  std::optional<std::vector<PolicyPredicate>> predicates;
  std::optional<std::vector<PolicyPriority>> priorities;
  std::vector<framework::ExtenderConfiguration> extenders;  // As written: no default timeout.
  int32_t hard_pod_affinity_symmetric_weight = 0;           // 0: not given.
  bool always_check_all_predicates = false;

  bool operator==(const Policy&) const = default;
};

// Reads JSON or YAML, of which the first document counts. An empty text is an empty policy. Errors begin with
// upstream's `invalid policy: `; what follows is our own where upstream shows the texts of its JSON and YAML libraries.
Result<Policy> DecodePolicy(std::string_view text, PolicyCompat compat);

}  // namespace berth::config
