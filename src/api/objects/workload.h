// SPDX-License-Identifier: Apache-2.0
// Namespaces, priority classes, disruption budgets and the controllers whose selectors spread pods.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/objects/meta.h"
#include "api/objects/pod.h"
#include "api/parts/selector.h"

namespace berth::api {

struct Namespace {
  ObjectMeta meta;

  bool operator==(const Namespace&) const = default;
};

struct PriorityClass {
  ObjectMeta meta;
  int32_t value = 0;
  bool global_default = false;
  std::string preemption_policy;

  bool operator==(const PriorityClass&) const = default;
};

struct PodDisruptionBudget {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;
  int32_t disruptions_allowed = 0;          // status.
  std::vector<std::string> disrupted_pods;  // Names in status.disruptedPods, sorted.

  bool operator==(const PodDisruptionBudget&) const = default;
};

struct Service {
  ObjectMeta meta;
  std::optional<Labels> selector;  // nil and empty differ.

  bool operator==(const Service&) const = default;
};

struct ReplicationController {
  ObjectMeta meta;
  std::optional<Labels> selector;

  bool operator==(const ReplicationController&) const = default;
};

struct ReplicaSet {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;

  bool operator==(const ReplicaSet&) const = default;
};

struct StatefulSet {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;

  bool operator==(const StatefulSet&) const = default;
};

}  // namespace berth::api
