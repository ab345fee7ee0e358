// SPDX-License-Identifier: Apache-2.0
// DisruptionBudgets: which evictions the PodDisruptionBudgets of the cluster do not allow.
//
// A budget covers the pods of its namespace that its selector matches, except those it already lists as disrupted. A
// selector that is absent, empty or invalid matches no pod, and a pod without labels is covered by none.
//
// Thread: core. Cost: selectors are compiled once per namespace and matched once per distinct set of pod labels.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "api/parts/selector.h"
#include "cluster/pod_info.h"
#include "cluster/tables/object_store.h"
#include "cluster/tables/string_map.h"

namespace berth::plugins {

class DisruptionBudgets {
 public:
  using Store = cluster::ObjectStore<api::PodDisruptionBudget>;

  // REQUIRES: `store` outlives this and does not change meanwhile.
  explicit DisruptionBudgets(const Store& store) : store_(store) {}

  // There are none, so that none is ever overdrawn.
  bool empty() const { return store_.empty(); }
  // Evicts `pods` one after the other, as far as budgets are concerned: 1 for each that overdraws one. Every call
  // starts with the full budgets.
  std::vector<uint8_t> Overdrawn(std::span<const cluster::PodPtr> pods);
  // The same one by one: all budgets are full again, and the next pod overdraws one.
  void Refill() { ++round_; }
  bool Overdraws(const cluster::PodTemplate& from, const cluster::LabelSet& label_set, const std::string& name);

 private:
  struct Budget {
    const api::PodDisruptionBudget* object = nullptr;
    int64_t left = 0;    // Evictions still allowed, in `round`.
    uint64_t round = 0;  // The Refill() that `left` belongs to.
  };
  struct NamespaceBudgets {
    std::vector<Budget> budgets;
    std::vector<api::Selector> selectors;  // Of each.
    boost::unordered_flat_map<uint64_t, boost::container::small_vector<uint32_t, 4>>
        matching;  // By id of the label set.
  };

  NamespaceBudgets& BudgetsOf(const std::string& ns);

  const Store& store_;
  cluster::StringMap<NamespaceBudgets> namespaces_;  // Those asked for so far.
  // Those of the last template: the next pod is often of the same one.
  const cluster::PodTemplate* last_template_ = nullptr;
  NamespaceBudgets* last_ = nullptr;
  uint64_t round_ = 0;
};

}  // namespace berth::plugins
