// SPDX-License-Identifier: Apache-2.0
// World: the objects of a simulation, decoded, checked, completed with the pods of controllers and with defaults.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/objects/object.h"
#include "app/simulate/manifests.h"
#include "app/simulate/names.h"
#include "app/simulate/workload.h"
#include "base/result.h"

namespace berth::simulate {

struct World {
  std::vector<api::Node> nodes;
  std::vector<PodSource> pods;  // In the order of the input, then those that controllers make.
  std::vector<api::PersistentVolumeClaim> claims;
  std::vector<api::PersistentVolume> volumes;
  std::vector<api::StorageClass> storage_classes;
  std::vector<api::PriorityClass> priority_classes;
  std::vector<api::Namespace> namespaces;
  std::vector<api::Object> others;
  std::vector<Workload> workloads;
  std::vector<std::string> notes;         // What the user should know about how the input was read.
  std::map<std::string, size_t> skipped;  // Kinds that scheduling does not read, and how many of each.
  std::vector<std::string> unknown;       // What was left out of objects from a cluster: Manifest::problems.
  NameGenerator names;
};

// Everything that is wrong with the input is reported together, one line each: file, line, object, field, reason.
// The new objects come after those of `base`, which are complete.
Result<World> BuildWorld(const Manifests& manifests, World base = {});

bool IsFinished(const api::Pod& pod);
// The latest time that the pods mention.
Time LatestTime(const World& world);

}  // namespace berth::simulate
