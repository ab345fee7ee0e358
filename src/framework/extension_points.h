// SPDX-License-Identifier: Apache-2.0
// Extension points: where plugins can be enabled.
//
// The points are numbered in the order in which a profile fills them, so that the first error found is upstream's.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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
  constexpr PointSet operator|(PointSet other) const {
    other.bits_ |= bits_;
    return other;
  }
  constexpr bool Has(ExtensionPoint point) const { return (bits_ & Bit(point)) != 0; }
  constexpr bool operator==(const PointSet&) const = default;

 private:
  static constexpr uint32_t Bit(ExtensionPoint point) { return uint32_t{1} << static_cast<uint32_t>(point); }

  uint32_t bits_ = 0;
};

}  // namespace berth::framework
