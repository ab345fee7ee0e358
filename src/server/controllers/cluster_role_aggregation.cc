// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/cluster_role_aggregation.h"

#include <algorithm>
#include <utility>

#include "api/parts/selector.h"
#include "server/model/label_selector.h"

namespace berth::server {

// Which roles select the one that changed is not known before they are looked at, and they are few.
void ClusterRoleAggregation::OnChange(const Change& change, const Enqueue& enqueue) {
  if (&change.object->resource() != &roles_) return;
  const std::string& key = change.object->key();
  if (change.type != Change::Type::kDeleted && change.object->tree()->Has("aggregationRule")) {
    aggregating_.insert(key);
  } else {
    aggregating_.erase(key);
  }
  for (const std::string& aggregating : aggregating_) enqueue(aggregating, kSettle);
}

Json ClusterRoleAggregation::SelectedRules(const Json& role) const {
  Json rules = Json::MakeList();
  const std::string& own_name = role["metadata"]["name"].text();
  for (const Json& selector : role["aggregationRule"]["clusterRoleSelectors"].items()) {
    const auto compiled = api::Selector::Compile(ReadLabelSelector(selector));
    if (!compiled) continue;
    for (const auto& [name, selected] : cluster_.store().All(roles_)) {
      if (name == own_name || !compiled->Matches(selected->labels())) continue;
      const TreePtr tree = selected->tree();
      for (const Json& rule : (*tree)["rules"].items()) {
        if (std::ranges::find(rules.items(), rule) == rules.items().end()) rules.Append(rule);
      }
    }
  }
  return rules;
}

std::optional<Duration> ClusterRoleAggregation::Sync(const std::string& key) {
  const ObjectPtr present = cluster_.store().Find(roles_, "", key);
  if (present == nullptr || !present->tree()->Has("aggregationRule")) return std::nullopt;
  const Json rules = SelectedRules(*present->tree());
  const auto written = cluster_.objects.Update(roles_, "", key, {.manager = std::string(name())},
                                               [&](const Json& current) -> Outcome<Json> {
                                                 if (current["rules"].items() == rules.items()) return current;
                                                 Json changed = current;
                                                 changed.Set("rules", rules);
                                                 return changed;
                                               });
  return Succeeded(*this, written) ? std::nullopt : std::optional(kRetry);
}

}  // namespace berth::server
