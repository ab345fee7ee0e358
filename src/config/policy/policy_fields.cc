// SPDX-License-Identifier: Apache-2.0
#include "config/policy/policy_fields.h"

#include <utility>

namespace berth::config {

using framework::IgnoredString;
using framework::Into;

namespace {

// The document with the parts that are not stored as they are read.
struct PolicyDraft {
  Policy policy;
  std::vector<PolicyExtender> extenders;
};

template <class T, size_t kCount>
void DecodePolicyObject(StrictDecoder& decoder, api::Value value, T& out, const Field<T> (&fields)[kCount],
                        const std::string_view (&internal_names)[kCount]) {
  if (AsPolicyDecoder(decoder).spelling() == PolicySpelling::kV1) return decoder.Object<T>(value, out, fields);
  decoder.Object<T>(value, out, Renamed(fields, internal_names));
}

template <auto kMember>
constexpr Field<PolicyDraft> InPolicy(std::string_view name) {
  return {name, [](StrictDecoder& decoder, api::Value value, PolicyDraft& out) {
            Decode(decoder, value, out.policy.*kMember);
          }};
}

// A number that became 32 bits wide after v1.16.
template <auto kMember>
constexpr Field<PolicyShapePoint> ShapeNumber(std::string_view name) {
  return {name, [](StrictDecoder& decoder, api::Value value, PolicyShapePoint& out) {
            if (AsPolicyDecoder(decoder).compat() == PolicyCompat::kV116) return Decode(decoder, value, out.*kMember);
            int32_t number = 0;
            Decode(decoder, value, number);
            out.*kMember = number;
          }};
}

void ReadSymmetricWeight(StrictDecoder& decoder, api::Value value, PolicyDraft& out) {
  int32_t& weight = out.policy.hard_pod_affinity_symmetric_weight;
  const PolicyDecoder& policy_decoder = AsPolicyDecoder(decoder);
  if (policy_decoder.compat() != PolicyCompat::kV116 || policy_decoder.spelling() == PolicySpelling::kInternal) {
    return Decode(decoder, value, weight);
  }
  // v1.16 reads 64 bits and keeps the lower half.
  int64_t wide = weight;
  Decode(decoder, value, wide);
  weight = static_cast<int32_t>(wide);
}

}  // namespace

void Decode(StrictDecoder& decoder, api::Value value, ServiceAffinityArgument& out) {
  static constexpr Field<ServiceAffinityArgument> kFields[] = {Into<&ServiceAffinityArgument::labels>("labels")};
  DecodePolicyObject(decoder, value, out, kFields, {"Labels"});
}

void Decode(StrictDecoder& decoder, api::Value value, LabelsPresenceArgument& out) {
  static constexpr Field<LabelsPresenceArgument> kFields[] = {
      Into<&LabelsPresenceArgument::labels>("labels"),
      Into<&LabelsPresenceArgument::presence>("presence"),
  };
  DecodePolicyObject(decoder, value, out, kFields, {"Labels", "Presence"});
}

void Decode(StrictDecoder& decoder, api::Value value, PredicateArgument& out) {
  static constexpr Field<PredicateArgument> kFields[] = {
      Into<&PredicateArgument::service_affinity>("serviceAffinity"),
      Into<&PredicateArgument::labels_presence>("labelsPresence"),
  };
  DecodePolicyObject(decoder, value, out, kFields, {"ServiceAffinity", "LabelsPresence"});
}

void Decode(StrictDecoder& decoder, api::Value value, PolicyPredicate& out) {
  static constexpr Field<PolicyPredicate> kFields[] = {
      Into<&PolicyPredicate::name>("name"),
      Into<&PolicyPredicate::argument>("argument"),
  };
  DecodePolicyObject(decoder, value, out, kFields, {"Name", "Argument"});
}

void Decode(StrictDecoder& decoder, api::Value value, ServiceAntiAffinityArgument& out) {
  static constexpr Field<ServiceAntiAffinityArgument> kFields[] = {Into<&ServiceAntiAffinityArgument::label>("label")};
  DecodePolicyObject(decoder, value, out, kFields, {"Label"});
}

void Decode(StrictDecoder& decoder, api::Value value, LabelPreferenceArgument& out) {
  static constexpr Field<LabelPreferenceArgument> kFields[] = {
      Into<&LabelPreferenceArgument::label>("label"),
      Into<&LabelPreferenceArgument::presence>("presence"),
  };
  DecodePolicyObject(decoder, value, out, kFields, {"Label", "Presence"});
}

void Decode(StrictDecoder& decoder, api::Value value, PolicyShapePoint& out) {
  static constexpr Field<PolicyShapePoint> kFields[] = {
      ShapeNumber<&PolicyShapePoint::utilization>("utilization"),
      ShapeNumber<&PolicyShapePoint::score>("score"),
  };
  DecodePolicyObject(decoder, value, out, kFields, {"Utilization", "Score"});
}

// Not an overload for framework::ResourceSpec: component configurations read that, too, with one spelling only.
struct PolicyResource {
  framework::ResourceSpec spec;
};
void Decode(StrictDecoder& decoder, api::Value value, PolicyResource& out) {
  using framework::ResourceSpec;
  static constexpr Field<ResourceSpec> kFields[] = {
      Into<&ResourceSpec::name>("name"),
      Into<&ResourceSpec::weight>("weight"),
  };
  DecodePolicyObject(decoder, value, out.spec, kFields, {"Name", "Weight"});
}

void Decode(StrictDecoder& decoder, api::Value value, RequestedToCapacityRatioArgument& out) {
  using Argument = RequestedToCapacityRatioArgument;
  static constexpr Field<Argument> kFields[] = {
      Into<&Argument::shape>("shape"),
      {"resources",
       [](StrictDecoder& inner, api::Value list, Argument& argument) {
         std::vector<PolicyResource> resources;
         Decode(inner, list, resources);
         argument.resources.clear();
         for (PolicyResource& resource : resources) argument.resources.push_back(std::move(resource.spec));
       }},
  };
  // Later releases gave these two names to the internal type as well.
  if (AsPolicyDecoder(decoder).compat() != PolicyCompat::kV116) return decoder.Object<Argument>(value, out, kFields);
  DecodePolicyObject(decoder, value, out, kFields, {"UtilizationShape", "Resources"});
}

void Decode(StrictDecoder& decoder, api::Value value, PriorityArgument& out) {
  static constexpr Field<PriorityArgument> kFields[] = {
      Into<&PriorityArgument::service_anti_affinity>("serviceAntiAffinity"),
      Into<&PriorityArgument::label_preference>("labelPreference"),
      Into<&PriorityArgument::requested_to_capacity_ratio>("requestedToCapacityRatioArguments"),
  };
  DecodePolicyObject(decoder, value, out, kFields,
                     {"ServiceAntiAffinity", "LabelPreference", "RequestedToCapacityRatioArguments"});
}

void Decode(StrictDecoder& decoder, api::Value value, PolicyPriority& out) {
  static constexpr Field<PolicyPriority> kFields[] = {
      Into<&PolicyPriority::name>("name"),
      Into<&PolicyPriority::weight>("weight"),
      Into<&PolicyPriority::argument>("argument"),
  };
  DecodePolicyObject(decoder, value, out, kFields, {"Name", "Weight", "Argument"});
}

void DecodePolicyFields(PolicyDecoder& decoder, api::Value value, Policy& out) {
  static constexpr Field<PolicyDraft> kFields[] = {
      IgnoredString<PolicyDraft>("kind"),
      IgnoredString<PolicyDraft>("apiVersion"),
      InPolicy<&Policy::predicates>("predicates"),
      InPolicy<&Policy::priorities>("priorities"),
      Into<&PolicyDraft::extenders>("extenders"),
      {"hardPodAffinitySymmetricWeight", ReadSymmetricWeight},
      InPolicy<&Policy::always_check_all_predicates>("alwaysCheckAllPredicates"),
  };
  const std::string_view extenders = decoder.compat() == PolicyCompat::kV116 ? "ExtenderConfigs" : "Extenders";
  PolicyDraft draft;
  DecodePolicyObject(decoder, value, draft, kFields,
                     {"kind", "apiVersion", "Predicates", "Priorities", extenders, "HardPodAffinitySymmetricWeight",
                      "AlwaysCheckAllPredicates"});
  out = std::move(draft.policy);
  for (PolicyExtender& extender : draft.extenders) out.extenders.push_back(std::move(extender.extender));
}

}  // namespace berth::config
