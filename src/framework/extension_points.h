// SPDX-License-Identifier: Apache-2.0
// Extension points: where plugins can be enabled, and which built-in plugin takes part in which.
//
// The points are numbered in the order in which a profile fills them, so that the first error found is upstream's.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace berth::framework {

enum class ExtensionPoint : uint8_t {
  kPreFilter,
  kFilter,
  kPostFilter,
  kReserve,
  kPreScore,
  kScore,
  kPreBind,
  kBind,
  kPostBind,
  kPermit,
  kPreEnqueue,
  kQueueSort,
  kPlacementGenerate,
  kPlacementScore,
  kPodGroupPostFilter,
};

inline constexpr size_t kExtensionPointCount = 15;

struct ExtensionPointNames {
  std::string_view config;  // The member of profiles[].plugins.
  std::string_view type;    // The word in error texts.
};

inline constexpr std::array<ExtensionPointNames, kExtensionPointCount> kExtensionPointNames = {{
    {"preFilter", "PreFilterPlugin"},
    {"filter", "FilterPlugin"},
    {"postFilter", "PostFilterPlugin"},
    {"reserve", "ReservePlugin"},
    {"preScore", "PreScorePlugin"},
    {"score", "ScorePlugin"},
    {"preBind", "PreBindPlugin"},
    {"bind", "BindPlugin"},
    {"postBind", "PostBindPlugin"},
    {"permit", "PermitPlugin"},
    {"preEnqueue", "PreEnqueuePlugin"},
    {"queueSort", "QueueSortPlugin"},
    {"placementGenerate", "PlacementGeneratePlugin"},
    {"placementScore", "PlacementScorePlugin"},
    {"podGroupPostFilter", "PodGroupPostFilterPlugin"},
}};

constexpr const ExtensionPointNames& NamesOf(ExtensionPoint point) {
  return kExtensionPointNames[static_cast<size_t>(point)];
}

// All points, in order.
inline constexpr std::array<ExtensionPoint, kExtensionPointCount> kExtensionPoints = [] {
  std::array<ExtensionPoint, kExtensionPointCount> points{};
  for (size_t i = 0; i < points.size(); ++i) points[i] = static_cast<ExtensionPoint>(i);
  return points;
}();

// A set of extension points.
class PointSet {
 public:
  constexpr PointSet() = default;
  constexpr PointSet(std::initializer_list<ExtensionPoint> points) {
    for (const ExtensionPoint point : points) bits_ |= Bit(point);
  }

  constexpr void Add(ExtensionPoint point) { bits_ |= Bit(point); }
  constexpr bool Has(ExtensionPoint point) const { return (bits_ & Bit(point)) != 0; }
  constexpr bool operator==(const PointSet&) const = default;

 private:
  static constexpr uint32_t Bit(ExtensionPoint point) { return uint32_t{1} << static_cast<uint32_t>(point); }

  uint32_t bits_ = 0;
};

struct BuiltInPlugin {
  std::string_view name;
  PointSet points;
};

namespace built_in {
using enum ExtensionPoint;

// Sorted by name.
inline constexpr BuiltInPlugin kPlugins[] = {
    {"DefaultBinder", {kBind}},
    {"DefaultPreemption", {kPreEnqueue, kPostFilter, kPodGroupPostFilter}},
    {"DeferredPodScheduling", {kPreFilter, kFilter, kPermit}},
    {"DynamicResources",
     {kPreEnqueue, kPreFilter, kFilter, kPostFilter, kPodGroupPostFilter, kScore, kReserve, kPreBind}},
    {"GangScheduling", {kPreEnqueue, kPermit}},
    {"ImageLocality", {kScore}},
    {"InterPodAffinity", {kPreFilter, kFilter, kPreScore, kScore}},
    {"NodeAffinity", {kPreFilter, kFilter, kPreScore, kScore}},
    {"NodeDeclaredFeatures", {kPreFilter, kFilter}},
    {"NodeName", {kPreFilter, kFilter}},
    {"NodePorts", {kPreFilter, kFilter}},
    {"NodeResourcesBalancedAllocation", {kPreScore, kScore}},
    {"NodeResourcesFit", {kPreFilter, kFilter, kPreScore, kScore, kPlacementScore}},
    {"NodeUnschedulable", {kPreFilter, kFilter}},
    {"NodeVolumeLimits", {kPreFilter, kFilter}},
    {"PodGroupPodsCount", {kPlacementScore}},
    {"PodTopologySpread", {kPreFilter, kFilter, kPreScore, kScore}},
    {"PrioritySort", {kQueueSort}},
    {"SchedulingGates", {kPreEnqueue}},
    {"TaintToleration", {kPreFilter, kFilter, kPreScore, kScore}},
    {"TopologyPlacementGenerator", {kPlacementGenerate}},
    {"VolumeBinding", {kPreFilter, kFilter, kPreScore, kScore, kReserve, kPreBind}},
    {"VolumeRestrictions", {kPreFilter, kFilter}},
    {"VolumeZone", {kPreFilter, kFilter}},
};

}  // namespace built_in

// The points of the built-in plugin `name`; nothing for another name.
constexpr std::optional<PointSet> BuiltInPluginPoints(std::string_view name) {
  for (const BuiltInPlugin& plugin : built_in::kPlugins) {
    if (plugin.name == name) return plugin.points;
  }
  return std::nullopt;
}

}  // namespace berth::framework
