// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "config/config.h"
#include "config/decode.h"
#include "config/decode_affinity.h"
#include "config/strict_decoder.h"

namespace berth::config {

using framework::DefaultPreemptionArgs;
using framework::DynamicResourcesArgs;
using framework::InterPodAffinityArgs;
using framework::NodeAffinityArgs;
using framework::NodeResourcesBalancedAllocationArgs;
using framework::NodeResourcesFitArgs;
using framework::PluginArgs;
using framework::PodTopologySpreadArgs;
using framework::RequestedToCapacityRatioParam;
using framework::ResourceSpec;
using framework::ScoringStrategy;
using framework::UtilizationShapePoint;
using framework::VolumeBindingArgs;

void Decode(StrictDecoder& decoder, api::Value value, ResourceSpec& out) {
  static constexpr Field<ResourceSpec> kFields[] = {
      Into<&ResourceSpec::name>("name"),
      Into<&ResourceSpec::weight>("weight"),
  };
  decoder.Object<ResourceSpec>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, UtilizationShapePoint& out) {
  static constexpr Field<UtilizationShapePoint> kFields[] = {
      Into<&UtilizationShapePoint::utilization>("utilization"),
      Into<&UtilizationShapePoint::score>("score"),
  };
  decoder.Object<UtilizationShapePoint>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, RequestedToCapacityRatioParam& out) {
  static constexpr Field<RequestedToCapacityRatioParam> kFields[] = {
      Into<&RequestedToCapacityRatioParam::shape>("shape"),
  };
  decoder.Object<RequestedToCapacityRatioParam>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, ScoringStrategy& out) {
  static constexpr Field<ScoringStrategy> kFields[] = {
      Into<&ScoringStrategy::type>("type"),
      Into<&ScoringStrategy::resources>("resources"),
      Into<&ScoringStrategy::requested_to_capacity_ratio>("requestedToCapacityRatio"),
  };
  if (value.is_null()) return;
  out.type.clear();  // A strategy that is given has no default type.
  decoder.Object<ScoringStrategy>(value, out, kFields);
}

namespace {

template <class Args>
constexpr Field<Args> kKind = IgnoredString<Args>("kind");
template <class Args>
constexpr Field<Args> kVersion = IgnoredString<Args>("apiVersion");

void DecodeFields(StrictDecoder& decoder, api::Value value, DefaultPreemptionArgs& out) {
  static constexpr Field<DefaultPreemptionArgs> kFields[] = {
      kKind<DefaultPreemptionArgs>,
      kVersion<DefaultPreemptionArgs>,
      Into<&DefaultPreemptionArgs::min_candidate_nodes_percentage>("minCandidateNodesPercentage"),
      Into<&DefaultPreemptionArgs::min_candidate_nodes_absolute>("minCandidateNodesAbsolute"),
  };
  decoder.Object<DefaultPreemptionArgs>(value, out, kFields);
}

void DecodeFields(StrictDecoder& decoder, api::Value value, DynamicResourcesArgs& out) {
  static constexpr Field<DynamicResourcesArgs> kFields[] = {
      kKind<DynamicResourcesArgs>,
      kVersion<DynamicResourcesArgs>,
      Into<&DynamicResourcesArgs::filter_timeout>("filterTimeout"),
      Into<&DynamicResourcesArgs::binding_timeout>("bindingTimeout"),
  };
  decoder.Object<DynamicResourcesArgs>(value, out, kFields);
}

void DecodeFields(StrictDecoder& decoder, api::Value value, InterPodAffinityArgs& out) {
  static constexpr Field<InterPodAffinityArgs> kFields[] = {
      kKind<InterPodAffinityArgs>,
      kVersion<InterPodAffinityArgs>,
      Into<&InterPodAffinityArgs::hard_pod_affinity_weight>("hardPodAffinityWeight"),
      Into<&InterPodAffinityArgs::ignore_preferred_terms_of_existing_pods>("ignorePreferredTermsOfExistingPods"),
  };
  decoder.Object<InterPodAffinityArgs>(value, out, kFields);
}

void DecodeFields(StrictDecoder& decoder, api::Value value, NodeAffinityArgs& out) {
  static constexpr Field<NodeAffinityArgs> kFields[] = {
      kKind<NodeAffinityArgs>,
      kVersion<NodeAffinityArgs>,
      Into<&NodeAffinityArgs::added_affinity>("addedAffinity"),
  };
  decoder.Object<NodeAffinityArgs>(value, out, kFields);
  if (!out.added_affinity) return;
  for (const std::string& error : AffinitySelectorErrors(*out.added_affinity, value["addedAffinity"])) {
    out.selector_errors.push_back(".addedAffinity" + error);
  }
}

void DecodeFields(StrictDecoder& decoder, api::Value value, NodeResourcesBalancedAllocationArgs& out) {
  static constexpr Field<NodeResourcesBalancedAllocationArgs> kFields[] = {
      kKind<NodeResourcesBalancedAllocationArgs>,
      kVersion<NodeResourcesBalancedAllocationArgs>,
      Into<&NodeResourcesBalancedAllocationArgs::resources>("resources"),
  };
  decoder.Object<NodeResourcesBalancedAllocationArgs>(value, out, kFields);
}

void DecodeFields(StrictDecoder& decoder, api::Value value, NodeResourcesFitArgs& out) {
  static constexpr Field<NodeResourcesFitArgs> kFields[] = {
      kKind<NodeResourcesFitArgs>,
      kVersion<NodeResourcesFitArgs>,
      Into<&NodeResourcesFitArgs::ignored_resources>("ignoredResources"),
      Into<&NodeResourcesFitArgs::ignored_resource_groups>("ignoredResourceGroups"),
      Into<&NodeResourcesFitArgs::scoring_strategy>("scoringStrategy"),
  };
  decoder.Object<NodeResourcesFitArgs>(value, out, kFields);
}

void DecodeFields(StrictDecoder& decoder, api::Value value, PodTopologySpreadArgs& out) {
  static constexpr Field<PodTopologySpreadArgs> kFields[] = {
      kKind<PodTopologySpreadArgs>,
      kVersion<PodTopologySpreadArgs>,
      Into<&PodTopologySpreadArgs::default_constraints>("defaultConstraints"),
      Into<&PodTopologySpreadArgs::defaulting_type>("defaultingType"),
  };
  decoder.Object<PodTopologySpreadArgs>(value, out, kFields);
}

void DecodeFields(StrictDecoder& decoder, api::Value value, VolumeBindingArgs& out) {
  static constexpr Field<VolumeBindingArgs> kFields[] = {
      kKind<VolumeBindingArgs>,
      kVersion<VolumeBindingArgs>,
      Into<&VolumeBindingArgs::bind_timeout_seconds>("bindTimeoutSeconds"),
      Into<&VolumeBindingArgs::shape>("shape"),
  };
  decoder.Object<VolumeBindingArgs>(value, out, kFields);
}

template <class Args>
PluginArgs DecodeAs(StrictDecoder& decoder, api::Value value) {
  Args args;
  DecodeFields(decoder, value, args);
  return args;
}

struct ArgsType {
  std::string_view plugin;
  PluginArgs (*decode)(StrictDecoder& decoder, api::Value value);
};

constexpr ArgsType kArgsTypes[] = {
    {"DefaultPreemption", DecodeAs<DefaultPreemptionArgs>},
    {"DynamicResources", DecodeAs<DynamicResourcesArgs>},
    {"InterPodAffinity", DecodeAs<InterPodAffinityArgs>},
    {"NodeAffinity", DecodeAs<NodeAffinityArgs>},
    {"NodeResourcesBalancedAllocation", DecodeAs<NodeResourcesBalancedAllocationArgs>},
    {"NodeResourcesFit", DecodeAs<NodeResourcesFitArgs>},
    {"PodTopologySpread", DecodeAs<PodTopologySpreadArgs>},
    {"VolumeBinding", DecodeAs<VolumeBindingArgs>},
};

Result<void> CheckKind(std::string_view name, api::Value args, SourceFormat format) {
  const std::string kind = fmt::format("{}Args", name);
  const TypeIdentity expected{std::string(kGroup), "v1", kind};
  Result<TypeIdentity> identity = ReadTypeIdentity(args, format, expected);
  if (identity) {
    const Result<void> registered = CheckRegistered(*identity);
    if (!registered) identity = std::unexpected(registered.error());
  }
  if (!identity) return Invalid(fmt::format("decoding args for plugin {}: {}", name, identity.error().message));
  if (identity->kind != kind) {
    return Invalid(fmt::format("args for plugin {} were not of type {}.{}, got {}.{}", name, kind, kGroup,
                               identity->kind, kGroup));
  }
  return {};
}

}  // namespace

Result<PluginArgs> DecodeArgs(std::string_view name, api::Value args, SourceFormat format,
                              std::vector<std::string>& strict_errors) {
  for (const ArgsType& type : kArgsTypes) {
    if (type.plugin != name) continue;
    BERTH_CHECK_OK(CheckKind(name, args, format));
    StrictDecoder decoder(format);
    PluginArgs decoded = type.decode(decoder, args);
    if (decoder.mismatch()) return Invalid(fmt::format("decoding args for plugin {}: {}", name, *decoder.mismatch()));
    strict_errors = decoder.strict_errors();
    return decoded;
  }
  if (args.is_null()) return PluginArgs{};
  return framework::OpaqueArgs{NestedJson(args, format)};
}

}  // namespace berth::config
