// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/disruption_budgets.h"

#include <algorithm>
#include <utility>

namespace berth::plugins {
namespace {

template <class Budget>
std::vector<size_t> Matching(const std::vector<Budget>& budgets, const api::Labels& labels) {
  std::vector<size_t> matching;
  for (size_t i = 0; i < budgets.size(); ++i) {
    if (budgets[i].selector.Matches(labels)) matching.push_back(i);
  }
  return matching;
}

}  // namespace

std::vector<uint8_t> DisruptionBudgets::Overdrawn(std::span<const cluster::PodPtr> pods) {
  std::vector<uint8_t> overdrawn(pods.size());
  if (store_.empty()) return overdrawn;
  ++round_;
  for (size_t i = 0; i < pods.size(); ++i) overdrawn[i] = Overdraws(*pods[i]);
  return overdrawn;
}

DisruptionBudgets::NamespaceBudgets& DisruptionBudgets::BudgetsOf(const std::string& ns) {
  const auto [entry, is_new] = namespaces_.try_emplace(ns);
  if (is_new) {
    store_.ForNamespace(ns, [&](const api::PodDisruptionBudget& object) {
      auto selector = api::Selector::Compile(object.selector);
      if (!selector || selector->empty()) return;
      entry->second.budgets.push_back({.object = &object, .selector = *std::move(selector)});
    });
  }
  return entry->second;
}

bool DisruptionBudgets::Overdraws(const cluster::PodInfo& pod) {
  if (pod.labels().empty()) return false;
  auto& [budgets, matching] = BudgetsOf(pod.ns());
  if (budgets.empty()) return false;
  const auto [known, is_new] = matching.try_emplace(pod.label_set->id);
  if (is_new) known->second = Matching(budgets, pod.labels());

  for (const size_t i : known->second) {
    Budget& budget = budgets[i];
    if (std::ranges::binary_search(budget.object->disrupted_pods, pod.name)) continue;
    if (std::exchange(budget.round, round_) != round_) budget.left = budget.object->disruptions_allowed;
    // The pod is lost to the first budget that it overdraws; the ones after it are not charged.
    if (--budget.left < 0) return true;
  }
  return false;
}

}  // namespace berth::plugins
