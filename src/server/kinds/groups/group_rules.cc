// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/groups/group_rules.h"

#include <utility>

#include "api/parts/selector.h"
#include "server/model/path_segment.h"

namespace berth::server {
namespace {

using framework::Gate;

constexpr int64_t kPriorityMax = 1'000'000'000;
constexpr std::string_view kPreemptionPolicies[] = {"Never", "PreemptLowerPriority"};

Problems AllInBytes(Problems problems) {
  for (std::string& problem : problems) problem = InBytes(std::move(problem));
  return problems;
}

Problems ShortName(std::string_view name) { return AllInBytes(CheckDnsLabel(name)); }
Problems LongName(std::string_view name) { return AllInBytes(api::ValidateDnsSubdomain(name)); }
Problems LabelKey(std::string_view name) { return api::ValidateQualifiedName(name); }
Problems PathSegment(std::string_view name) { return CheckPathSegment(name); }

// Fields that groups and the templates of groups have.
constexpr FieldRules kPriorityClassName = {.name = "priorityClassName", .is_immutable = true, .format = LongName};
constexpr FieldRules kPriority = {.name = "priority", .is_immutable = true, .max = kPriorityMax};
constexpr FieldRules kPreemptionPolicy = {.name = "preemptionPolicy",
                                          .is_immutable = true,
                                          .values = kPreemptionPolicies,
                                          .gate = Gate::kPodGroupPreemptionPolicy};
constexpr FieldRules kTemplateName = {.name = "name", .is_required = true, .format = ShortName};

constexpr std::string_view kPolicies[] = {"basic", "gang"};
constexpr FieldRules kGangFields[] = {{.name = "minCount", .is_required = true, .min = 1}};
constexpr TypeRules kGang = {"scheduling.v1beta1.GangSchedulingPolicy", kGangFields};
constexpr FieldRules kPolicyFields[] = {{.name = "basic", .is_immutable = true},
                                        {.name = "gang", .type = &kGang, .stays_set = true}};
constexpr TypeRules kPolicy = {"scheduling.v1beta1.PodGroupSchedulingPolicy", kPolicyFields, kPolicies};
constexpr FieldRules kCompositeGangFields[] = {{.name = "minGroupCount", .is_required = true, .min = 1}};
constexpr TypeRules kCompositeGang = {"scheduling.v1alpha3.CompositeGangSchedulingPolicy", kCompositeGangFields};
constexpr FieldRules kCompositePolicyFields[] = {{.name = "basic", .is_immutable = true},
                                                 {.name = "gang", .type = &kCompositeGang, .stays_set = true}};
constexpr TypeRules kCompositePolicy = {"scheduling.v1alpha3.CompositePodGroupSchedulingPolicy", kCompositePolicyFields,
                                        kPolicies};

constexpr FieldRules kTopologyFields[] = {{.name = "key", .is_required = true, .format = LabelKey}};
constexpr TypeRules kTopology = {"scheduling.v1beta1.TopologyConstraint", kTopologyFields};
constexpr FieldRules kConstraintFields[] = {{.name = "topology", .type = &kTopology, .items_max = 1}};
constexpr TypeRules kConstraints = {"scheduling.v1beta1.PodGroupSchedulingConstraints", kConstraintFields};
constexpr FieldRules kGatedConstraints = {.name = "schedulingConstraints",
                                          .type = &kConstraints,
                                          .is_immutable = true,
                                          .gate = Gate::kTopologyAwareWorkloadScheduling};

constexpr std::string_view kClaimSources[] = {"resourceClaimName", "resourceClaimTemplateName"};
constexpr FieldRules kClaimFields[] = {{.name = "name", .is_required = true, .format = ShortName},
                                       {.name = "resourceClaimName", .format = LongName},
                                       {.name = "resourceClaimTemplateName", .format = LongName}};
constexpr TypeRules kClaim = {"scheduling.v1beta1.PodGroupResourceClaim", kClaimFields, kClaimSources};
constexpr FieldRules kClaims = {.name = "resourceClaims",
                                .type = &kClaim,
                                .is_immutable = true,
                                .key = "name",
                                .items_max = 4,
                                .gate = Gate::kDRAWorkloadResourceClaims,
                                .is_only_dropped = true};

constexpr std::string_view kDisruptionModes[] = {"single", "all"};
constexpr TypeRules kDisruption = {"scheduling.v1beta1.DisruptionMode", {}, kDisruptionModes};

constexpr FieldRules kReferenceFields[] = {{.name = "workloadName", .is_required = true, .format = LongName},
                                           {.name = "templateName", .is_required = true, .format = ShortName}};
constexpr TypeRules kReference = {"scheduling.v1beta1.WorkloadReference", kReferenceFields};

constexpr FieldRules kPodGroupFields[] = {
    {.name = "parentCompositePodGroupName", .is_immutable = true, .format = LongName, .gate = Gate::kCompositePodGroup},
    {.name = "workloadRef", .type = &kReference, .is_immutable = true},
    {.name = "schedulingPolicy", .type = &kPolicy},
    kGatedConstraints,
    kClaims,
    {.name = "disruptionMode", .type = &kDisruption, .is_required = true, .is_immutable = true},
    kPriorityClassName,
    kPriority,
    kPreemptionPolicy,
};

constexpr FieldRules kClaimStatusFields[] = {{.name = "resourceClaimName", .format = LongName}};
constexpr TypeRules kClaimStatus = {"scheduling.v1beta1.PodGroupResourceClaimStatus", kClaimStatusFields};
constexpr FieldRules kStatusFields[] = {
    {.name = "resourceClaimStatuses", .type = &kClaimStatus, .key = "name", .items_max = 4}};

constexpr FieldRules kCompositeFields[] = {
    {.name = "parentCompositePodGroupName", .is_immutable = true, .format = LongName},
    {.name = "workloadRef", .type = &kReference, .is_required = true, .is_immutable = true},
    {.name = "schedulingPolicy", .type = &kCompositePolicy, .is_immutable = true},
    {.name = "schedulingConstraints", .type = &kConstraints, .is_immutable = true},
    {.name = "disruptionMode", .type = &kDisruption, .is_required = true, .is_immutable = true},
    kPriorityClassName,
    kPriority,
    kPreemptionPolicy,
};

constexpr FieldRules kTemplateFields[] = {
    kTemplateName,
    {.name = "schedulingPolicy", .type = &kPolicy},
    kGatedConstraints,
    kClaims,
    {.name = "disruptionMode", .type = &kDisruption, .is_immutable = true},
    kPriorityClassName,
    kPriority,
    kPreemptionPolicy,
};
constexpr TypeRules kTemplate = {"scheduling.v1beta1.PodGroupTemplate", kTemplateFields};
constexpr FieldRules kTemplates = {
    .name = "podGroupTemplates", .type = &kTemplate, .key = "name", .keeps_items = true, .items_max = 8};

extern const TypeRules kCompositeTemplate;  // Contains itself.
constexpr FieldRules kCompositeTemplateFields[] = {
    kTemplateName,
    {.name = "schedulingPolicy", .type = &kCompositePolicy},
    {.name = "schedulingConstraints", .type = &kConstraints, .is_immutable = true},
    {.name = "disruptionMode", .type = &kDisruption, .is_immutable = true},
    kPriorityClassName,
    kPriority,
    kPreemptionPolicy,
    kTemplates,
    {.name = "compositePodGroupTemplates",
     .type = &kCompositeTemplate,
     .key = "name",
     .keeps_items = true,
     .items_max = 8,
     .gate = Gate::kCompositePodGroup,
     .is_only_dropped = true},
};
constexpr TypeRules kCompositeTemplate = {"scheduling.v1beta1.CompositePodGroupTemplate", kCompositeTemplateFields};

constexpr FieldRules kControllerFields[] = {{.name = "apiGroup", .format = LongName},
                                            {.name = "kind", .is_required = true, .format = PathSegment},
                                            {.name = "name", .is_required = true, .format = PathSegment}};
constexpr TypeRules kController = {"scheduling.v1beta1.TypedLocalObjectReference", kControllerFields};
constexpr std::string_view kWorkloadChoice[] = {"podGroupTemplates", "compositePodGroupTemplates"};
constexpr FieldRules kWorkloadFields[] = {
    {.name = "controllerRef", .type = &kController, .is_immutable = true},
    kTemplates,
    {.name = "compositePodGroupTemplates",
     .type = &kCompositeTemplate,
     .key = "name",
     .keeps_items = true,
     .items_max = 8,
     .gate = Gate::kCompositePodGroup},
};

}  // namespace

const TypeRules kPodGroupSpec = {"scheduling.v1beta1.PodGroupSpec", kPodGroupFields};
const TypeRules kPodGroupStatus = {"scheduling.v1beta1.PodGroupStatus", kStatusFields};
const TypeRules kCompositePodGroupSpec = {"scheduling.v1alpha3.CompositePodGroupSpec", kCompositeFields};
const TypeRules kWorkloadSpec = {"scheduling.v1beta1.WorkloadSpec", kWorkloadFields, kWorkloadChoice};

}  // namespace berth::server
