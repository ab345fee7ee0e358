// SPDX-License-Identifier: Apache-2.0
// Chooser: decides where every answer is right.
//
// Among nodes with equal score, and among equal preemption candidates, upstream picks by accident of timing. Here an
// injected Chooser picks, so that the same inputs give the same decisions.

#pragma once

#include <cstddef>
#include <span>

#include "base/random.h"
#include "cluster/node_table.h"

namespace berth::framework {

class Chooser {
 public:
  virtual ~Chooser() = default;
  // Index into `tied` of the node to take. REQUIRES: tied is not empty.
  virtual size_t Choose(std::span<const cluster::NodeSlot> tied, const cluster::NodeTable& nodes) = 0;
  // Where a search over `count` things starts. REQUIRES: count > 0.
  virtual size_t Offset(size_t count) = 0;
};

// Draws by a seeded generator.
class SeededChooser final : public Chooser {
 public:
  explicit SeededChooser(uint64_t seed) : random_(seed) {}
  size_t Choose(std::span<const cluster::NodeSlot> tied, const cluster::NodeTable& nodes) override;
  size_t Offset(size_t count) override;

 private:
  Random random_;
};

// Takes the smallest node name and starts at the beginning.
class SmallestNameChooser final : public Chooser {
 public:
  size_t Choose(std::span<const cluster::NodeSlot> tied, const cluster::NodeTable& nodes) override;
  size_t Offset(size_t count) override;
};

}  // namespace berth::framework
