// SPDX-License-Identifier: Apache-2.0
#include "framework/chooser.h"

#include <algorithm>

namespace berth::framework {

size_t SeededChooser::Choose(std::span<const cluster::NodeSlot> tied, const cluster::NodeTable&) {
  return tied.size() == 1 ? 0 : static_cast<size_t>(random_.Below(tied.size()));
}

size_t SeededChooser::Offset(size_t count) { return static_cast<size_t>(random_.Below(count)); }

size_t SmallestNameChooser::Choose(std::span<const cluster::NodeSlot> tied, const cluster::NodeTable& nodes) {
  const auto smallest = std::ranges::min_element(
      tied, {}, [&](cluster::NodeSlot slot) -> const std::string& { return nodes.name[slot.index]; });
  return static_cast<size_t>(smallest - tied.begin());
}

size_t SmallestNameChooser::Offset(size_t) { return 0; }

}  // namespace berth::framework
