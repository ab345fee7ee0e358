// SPDX-License-Identifier: Apache-2.0
// ClaimOptions: the existing volumes that an unbound claim could be bound to, and which of them a node gets.
//
// A volume that is reserved for the claim wins outright, and rules out nodes that cannot use it. Otherwise it is the
// smallest volume that is large enough and matches the claim in class, mode, attributes class, labels and access modes;
// among equals the one with the smallest name.
//
// Cost: one pass over the volumes per claim and cycle; per node, those that ask for the node's labels.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/objects/storage.h"
#include "cluster/assumed_volumes.h"
#include "plugins/helpers/label_index.h"
#include "plugins/volume_binding/volume_affinity.h"

namespace berth::plugins {

class ClaimOptions {
 public:
  ClaimOptions() = default;
  ClaimOptions(const api::PersistentVolumeClaim& claim, const cluster::AssumedObjects<api::PersistentVolume>& volumes);

  // Upstream's text if the claim's selector is not valid; then there are no options.
  const std::string& error() const { return error_; }

  // The volume for a node with these labels, none of `taken`; nullptr if there is none. It lives as long as this.
  const api::PersistentVolume* Choose(const api::Labels& node_labels,
                                      std::span<const api::PersistentVolume* const> taken) const;

 private:
  struct Option {
    std::shared_ptr<const api::PersistentVolume> volume;
    VolumeAffinity affinity;
  };

  std::string error_;
  std::vector<Option> reserved_;  // For this claim; by name.
  std::vector<Option> options_;   // By capacity, then name.
  LabelIndex index_;              // Positions in options_.
};

// Whether `volume` is bound to or reserved for `claim`.
bool IsReservedFor(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);

}  // namespace berth::plugins
