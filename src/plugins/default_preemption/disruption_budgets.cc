// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/disruption_budgets.h"

#include <algorithm>
#include <utility>

namespace berth::plugins {

std::vector<uint8_t> DisruptionBudgets::Overdrawn(std::span<const cluster::PodPtr> pods) {
  std::vector<uint8_t> overdrawn(pods.size());
  if (store_.empty()) return overdrawn;
  Refill();
  for (size_t i = 0; i < pods.size(); ++i) {
    overdrawn[i] = Overdraws(*pods[i]->pod_template, *pods[i]->label_set, pods[i]->name);
  }
  return overdrawn;
}

DisruptionBudgets::NamespaceBudgets& DisruptionBudgets::BudgetsOf(const std::string& ns) {
  const auto [entry, is_new] = namespaces_.try_emplace(ns);
  if (is_new) {
    store_.ForNamespace(ns, [&](const api::PodDisruptionBudget& object) {
      auto selector = api::Selector::Compile(object.selector);
      if (!selector || selector->empty()) return;
      entry->second.budgets.push_back({.object = &object});
      entry->second.selectors.push_back(*std::move(selector));
    });
  }
  return entry->second;
}

bool DisruptionBudgets::Overdraws(const cluster::PodTemplate& from, const cluster::LabelSet& label_set,
                                  const std::string& name) {
  if (std::exchange(last_template_, &from) != &from) last_ = &BudgetsOf(from.ns);
  auto& [budgets, selectors, matching] = *last_;
  if (budgets.empty()) return false;
  const auto [known, is_new] = matching.try_emplace(label_set.id);
  if (is_new && !label_set.labels.empty()) {
    for (uint32_t i = 0; i < budgets.size(); ++i) {
      if (selectors[i].Matches(label_set.labels)) known->second.push_back(i);
    }
  }

  for (const uint32_t i : known->second) {
    Budget& budget = budgets[i];
    if (std::ranges::binary_search(budget.object->disrupted_pods, name)) continue;
    if (std::exchange(budget.round, round_) != round_) budget.left = budget.object->disruptions_allowed;
    // The pod is lost to the first budget that it overdraws; the ones after it are not charged.
    if (--budget.left < 0) return true;
  }
  return false;
}

}  // namespace berth::plugins
