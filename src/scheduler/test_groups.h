// SPDX-License-Identifier: Apache-2.0
// Groups of pods for tests.

#pragma once

#include <string>
#include <utility>

#include "scheduler/test_core.h"

namespace berth::scheduler {

inline framework::FeatureGates WithGroups() {
  return framework::FeatureGates::Create({{"GenericWorkload", true}}).value();
}

inline api::PodGroup Gang(std::string name, int32_t min_count) {
  api::PodGroup group;
  group.meta.ns = "default";
  group.meta.name = std::move(name);
  group.meta.uid = "uid-" + group.meta.name;
  group.meta.resource_version = "1";
  group.spec.min_count = min_count;
  return group;
}

// Two of them fit on a node.
inline api::Pod Member(std::string name, std::string group) {
  api::Pod pod = Pod(std::move(name)).Request("cpu", "2");
  pod.spec.scheduling_group = std::move(group);
  return pod;
}

inline World GroupWorld(const framework::FeatureGates& gates = WithGroups()) {
  return World(DefaultConfiguration("GangScheduling"), plugins::BuiltIn(), gates);
}

}  // namespace berth::scheduler
