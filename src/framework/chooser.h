// SPDX-License-Identifier: Apache-2.0
// Chooser: decides where every answer is right.
//
// Among nodes with equal score, and among equal preemption candidates, upstream picks by accident of timing. Here an
// injected Chooser picks. It keeps no state: the same pod in the same cluster goes to the same node, also on a copy of
// the cluster.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/hash.h"
#include "cluster/tables/ids.h"

namespace berth::framework {

class Cycle;
class Profile;

class Chooser {
 public:
  virtual ~Chooser() = default;
  // One of `best`, the nodes with the highest total of a pod's scores. REQUIRES: best is not empty.
  virtual cluster::NodeSlot ChooseBest(const Profile& profile, Cycle& cycle,
                                       std::span<const cluster::NodeSlot> best) const = 0;
  // Index into `nodes`, on which preemption is equally good. REQUIRES: nodes is not empty.
  virtual size_t ChoosePreemption(const Cycle& cycle, std::span<const cluster::NodeSlot> nodes) const = 0;
  // Where a search over `count` things starts. REQUIRES: count > 0.
  virtual size_t Offset(const Cycle& cycle, size_t count) const = 0;
  // Nodes can be kept in order if of those that are equal in all else ChooseBest takes the first one from this place
  // on, on the ring of RingPlace. Absent: it goes by something else.
  virtual std::optional<uint64_t> RingStart(const Cycle&) const { return std::nullopt; }
};

// The place of a node on a ring, by the hash of its name.
constexpr uint64_t RingPlace(uint64_t name_hash) { return MixHash(name_hash); }

// Spreads equal pods evenly. Scores are integers, so many nodes look equal that are not: of those with the best total
// it takes the ones that were ahead before their scores were truncated (ScorePlugin::NarrowTie), of these the ones with
// the fewest pods of the same owner, and of these one by hashes: that of seed and owner is a place on a ring, and the
// node that is next to it by the hash of its name is taken. So nodes that are kept in order by their hashes are found
// without looking at all of them. A pod without an owner counts by its own name; that of others is made up by their
// controller, and not known when they are planned.
class SeededChooser final : public Chooser {
 public:
  explicit SeededChooser(uint64_t seed) : seed_(seed) {}
  cluster::NodeSlot ChooseBest(const Profile& profile, Cycle& cycle,
                               std::span<const cluster::NodeSlot> best) const override;
  size_t ChoosePreemption(const Cycle& cycle, std::span<const cluster::NodeSlot> nodes) const override;
  size_t Offset(const Cycle& cycle, size_t count) const override;
  std::optional<uint64_t> RingStart(const Cycle& cycle) const override { return HashOf(cycle); }

 private:
  uint64_t HashOf(const Cycle& cycle) const;

  uint64_t seed_;
};

// Takes the smallest node name and starts at the beginning.
class SmallestNameChooser final : public Chooser {
 public:
  cluster::NodeSlot ChooseBest(const Profile& profile, Cycle& cycle,
                               std::span<const cluster::NodeSlot> best) const override;
  size_t ChoosePreemption(const Cycle& cycle, std::span<const cluster::NodeSlot> nodes) const override;
  size_t Offset(const Cycle& cycle, size_t count) const override;
};

}  // namespace berth::framework
