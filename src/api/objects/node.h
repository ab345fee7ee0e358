// SPDX-License-Identifier: Apache-2.0
// Node: what scheduling reads of a node.

#pragma once

#include <string>
#include <vector>

#include "api/objects/meta.h"
#include "api/parts/resource_list.h"
#include "api/parts/toleration.h"

namespace berth::api {

struct ContainerImage {
  std::vector<std::string> names;
  int64_t size_bytes = 0;

  bool operator==(const ContainerImage&) const = default;
};

struct NodeCondition {
  std::string type;
  std::string status;

  bool operator==(const NodeCondition&) const = default;
};

struct Node {
  ObjectMeta meta;
  bool unschedulable = false;
  std::vector<Taint> taints;
  std::vector<std::string> disable_resize_preemption;  // spec.podPreemptionPolicy.disableResizePreemption.
  bool has_preemption_policy = false;                  // spec.podPreemptionPolicy is set.
  ResourceList allocatable;
  std::vector<NodeCondition> conditions;
  std::vector<ContainerImage> images;
  std::vector<std::string> declared_features;
  SourceText source;

  bool operator==(const Node&) const = default;
};

}  // namespace berth::api
