// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/slice_plan.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace berth::server {
namespace {

bool IsOwned(const StoredObject& slice, const SliceRules& rules) {
  return std::ranges::any_of(slice.owners().items(),
                             [&](const Json& each) { return each["uid"].text() == rules.owner->uid(); });
}

bool IsDressed(const Json& slice, const SliceRules& rules) {
  const Json& metadata = slice["metadata"];
  return metadata["labels"] == rules.labels &&
         (rules.annotations.is_null() || metadata["annotations"].members() == rules.annotations.members());
}

// The slices of one group, as they shall be.
class GroupPlan {
 public:
  GroupPlan(EndpointGroup group, const SliceRules& rules) : group_(std::move(group)), rules_(rules) {}

  // Takes over what the slice has of the group.
  void Keep(const ObjectPtr& slice) {
    const TreePtr tree = slice->tree();
    PlannedSlice kept{.name = std::string(slice->name()), .ports = group_.ports, .endpoints = {}};
    const Json& present = (*tree)["endpoints"];
    bool is_changed = false;
    for (const Json& endpoint : present.items()) {
      auto wanted = group_.endpoints.extract(EndpointIdentity(endpoint));
      if (wanted.empty()) continue;
      is_changed = is_changed || wanted.mapped() != endpoint;
      kept.endpoints.push_back(std::move(wanted.mapped()));
    }
    is_changed = is_changed || kept.endpoints.size() != present.size();
    if (is_changed && kept.endpoints.empty()) return removed_.push_back(slice);
    is_changed = is_changed || !IsDressed(*tree, rules_);
    (is_changed ? changed_ : unchanged_).push_back(std::move(kept));
  }

  // Finds places for the rest.
  void Place() {
    std::ranges::stable_sort(changed_, std::ranges::greater(),
                             [](const auto& slice) { return slice.endpoints.size(); });
    for (PlannedSlice& slice : changed_) Fill(slice);
    while (!group_.endpoints.empty()) {
      const auto roomy = Roomy();
      if (roomy == unchanged_.end()) {
        Fill(made_.emplace_back(PlannedSlice{.name = {}, .ports = group_.ports, .endpoints = {}}));
      } else {
        Fill(changed_.emplace_back(std::move(*roomy)));
        unchanged_.erase(roomy);
      }
    }
  }

  void MoveTo(SlicePlan& plan) {
    std::ranges::move(made_, std::back_inserter(plan.made));
    std::ranges::move(changed_, std::back_inserter(plan.changed));
    std::ranges::move(removed_, std::back_inserter(plan.removed));
  }

 private:
  // The fullest of the unchanged slices that have room for all that is left.
  std::vector<PlannedSlice>::iterator Roomy() {
    auto best = unchanged_.end();
    for (auto at = unchanged_.begin(); at != unchanged_.end(); ++at) {
      if (at->endpoints.size() + group_.endpoints.size() > rules_.endpoints_max) continue;
      if (best == unchanged_.end() || at->endpoints.size() > best->endpoints.size()) best = at;
    }
    return best;
  }

  void Fill(PlannedSlice& slice) {
    while (!group_.endpoints.empty() && slice.endpoints.size() < rules_.endpoints_max) {
      slice.endpoints.push_back(std::move(group_.endpoints.extract(group_.endpoints.begin()).mapped()));
    }
  }

  EndpointGroup group_;  // What has no place yet.
  const SliceRules& rules_;
  std::vector<PlannedSlice> made_;
  std::vector<PlannedSlice> changed_;
  std::vector<PlannedSlice> unchanged_;
  std::vector<ObjectPtr> removed_;
};

// The slice that stands for no endpoints at all.
bool IsPlaceholder(const StoredObject& slice, const SliceRules& rules) {
  const TreePtr tree = slice.tree();
  return IsOwned(slice, rules) && IsDressed(*tree, rules) && (*tree)["ports"].empty() && (*tree)["endpoints"].empty();
}

// Slices that would go become those that would be made.
void Recycle(const SliceRules& rules, SlicePlan& plan) {
  for (auto at = plan.removed.begin(); at != plan.removed.end() && !plan.made.empty();) {
    if (!IsOwned(**at, rules)) {
      ++at;
      continue;
    }
    plan.changed.push_back(std::move(plan.made.back()));
    plan.made.pop_back();
    plan.changed.back().name = (*at)->name();
    at = plan.removed.erase(at);
  }
}

std::string KeyOf(Json& ports) {
  if (ports.is_list() && !ports.empty()) {
    std::ranges::sort(ports.mutable_items(), {}, [](const Json& port) { return port.ToText(); });
  }
  return ports.empty() ? "" : ports.ToText();
}

}  // namespace

EndpointGroup& GroupOf(EndpointGroups& groups, Json ports) {
  std::string key = KeyOf(ports);
  const auto [at, is_new] = groups.try_emplace(std::move(key));
  if (is_new) at->second.ports = std::move(ports);
  return at->second;
}

std::string EndpointIdentity(const Json& endpoint) {
  std::string identity = endpoint["addresses"].ToText();
  for (const std::string& part :
       {endpoint["hostname"].text(), endpoint["targetRef"]["namespace"].text(), endpoint["targetRef"]["name"].text()}) {
    identity += '\n';
    identity += part;
  }
  return identity;
}

SlicePlan PlanSlices(const SliceRules& rules, EndpointGroups groups, const std::vector<ObjectPtr>& present) {
  SlicePlan plan;
  std::map<std::string, GroupPlan> planned;
  for (auto& [key, group] : groups) planned.try_emplace(key, std::move(group), rules);
  for (const ObjectPtr& slice : present) {
    Json ports = slice->Tree()["ports"];
    const auto group = planned.find(KeyOf(ports));
    if (group == planned.end() || !IsOwned(*slice, rules)) {
      plan.removed.push_back(slice);
    } else {
      group->second.Keep(slice);
    }
  }
  for (auto& [key, group] : planned) {
    group.Place();
    group.MoveTo(plan);
  }
  if (rules.is_never_without && plan.removed.size() == present.size() && plan.made.empty()) {
    if (plan.removed.size() == 1 && IsPlaceholder(*plan.removed.front(), rules)) return {};
    plan.made.emplace_back();
  }
  Recycle(rules, plan);
  return plan;
}

}  // namespace berth::server
