// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/replica_set_controller.h"

#include <algorithm>

#include "server/model/find_condition.h"

namespace berth::server {

std::optional<Duration> ReplicaSetController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(sets_);
  const auto found = all.find(key);
  const api::Selector* selector = affected_.SelectorOf(key);
  if (found == all.end() || selector == nullptr) return std::nullopt;
  const ObjectPtr set = found->second;
  if (set->is_being_deleted()) return std::nullopt;
  if (!ClaimPods(*this, cluster_, *set, {.selector = *selector, .can_use = &PodInfo::is_active})) return kRetry;
  const Json tree = set->Tree();
  const Availability availability(tree["spec"], cluster_.objects.now());
  const Counts counts = Count(*set, tree, availability);
  const auto wanted = static_cast<size_t>(std::max<int64_t>(0, tree["spec"]["replicas"].IntOr(1)));
  const size_t present = counts.active;
  const PodControl control(*this, cluster_, *set, is_legacy() ? "replication-controller" : "replicaset-controller");
  Outcome<void> managed;
  if (present < wanted) managed = Grow(control, *set, tree, std::min(wanted - present, kBatch));
  if (present > wanted) managed = Shrink(control, *set, std::min(present - wanted, kBatch));
  const size_t difference = present < wanted ? wanted - present : present - wanted;
  if (managed && difference > kBatch) return Duration{};
  if (!Report(*set, tree, counts, managed) || !managed) return kRetry;
  if (counts.available == counts.ready) return std::nullopt;
  return availability.Next(PodsOf(cluster_, *set));
}

ReplicaSetController::Counts ReplicaSetController::Count(const StoredObject& set, const Json& tree,
                                                         const Availability& availability) const {
  Counts counts;
  const Json& wanted = tree["spec"]["template"]["metadata"]["labels"];
  for (const auto& [labels, tally] : cluster_.pods.TalliesOf(set.uid())) {
    counts.active += tally.active;
    counts.ready += tally.ready;
    counts.terminating += tally.terminating;
    const bool has_all = std::ranges::all_of(
        wanted.members(), [&](const Json::Member& label) { return labels.Get(label.name) == label.value.text(); });
    if (has_all) counts.fully_labelled += tally.active;
  }
  counts.available = counts.ready;
  if (availability.is_immediate()) return counts;
  counts.available = static_cast<size_t>(std::ranges::count_if(
      PodsOf(cluster_, set), [&](const PodInfo& pod) { return pod.is_active() && availability.Has(pod); }));
  return counts;
}

Outcome<void> ReplicaSetController::Grow(const PodControl& control, const StoredObject& set, const Json& tree,
                                         size_t count) {
  Json pod = PodFromTemplate(tree["spec"]["template"], set);
  pod.Make("metadata").Set("generateName", std::string(set.name()) + "-");
  for (size_t i = 0; i < count; ++i) {
    if (const auto created = control.Create(pod); !created) return std::unexpected(created.error());
  }
  return {};
}

Outcome<void> ReplicaSetController::Shrink(const PodControl& control, const StoredObject& set, size_t count) const {
  std::vector<PodInfo> active = PodsOf(cluster_, set);
  std::erase_if(active, [](const PodInfo& pod) { return !pod.is_active(); });
  SortForRemoval(active, RelativesByNode(set));
  active.resize(count);
  for (const PodInfo& pod : active) {
    if (Outcome<void> deleted = control.Delete(pod); !deleted) return deleted;
  }
  return {};
}

// The pods of all sets that the controller of this one has, as of a Deployment that moves from one to another.
std::map<std::string, size_t> ReplicaSetController::RelativesByNode(const StoredObject& set) const {
  std::map<std::string, size_t> by_node;
  const std::string& controller = ControllerAmong(set.owners())["uid"].text();
  const std::string prefix = ObjectKey(set.ns(), "");
  const Store::Objects& all = cluster_.store().All(sets_);
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    const bool is_related = at->second->uid() == set.uid() ||
                            (!controller.empty() && ControllerAmong(at->second->owners())["uid"].text() == controller);
    if (!is_related) continue;
    for (const std::string& pod_key : cluster_.pods.OfOwner(at->second->uid())) {
      const PodInfo& pod = *cluster_.pods.Find(pod_key);
      if (pod.is_active()) ++by_node[pod.node];
    }
  }
  return by_node;
}

bool ReplicaSetController::Report(const StoredObject& set, const Json& tree, const Counts& counts,
                                  const Outcome<void>& managed) {
  // What was made or removed just now is seen by the next look, which its change asks for.
  return WriteStatus(cluster_, set, [&](Json& status) {
    const auto set_count = [&](std::string_view name, size_t count) {
      status.Set(name, Json::Int(static_cast<int64_t>(count)));
      if (count == 0 && name != "replicas") status.Erase(name);
    };
    set_count("replicas", counts.active);
    set_count("readyReplicas", counts.ready);
    set_count("availableReplicas", counts.available);
    set_count("fullyLabeledReplicas", counts.fully_labelled);
    if (!is_legacy()) status.Set("terminatingReplicas", Json::Int(static_cast<int64_t>(counts.terminating)));
    status.Set("observedGeneration", tree["metadata"]["generation"]);
    SetFailure(status, static_cast<int64_t>(counts.active) < tree["spec"]["replicas"].IntOr(1), managed);
  });
}

// Says why pods cannot be made or removed, as long as that is so. The first reason stays.
void ReplicaSetController::SetFailure(Json& status, bool is_growing, const Outcome<void>& managed) const {
  constexpr std::string_view kType = "ReplicaFailure";
  const bool is_there = !FindCondition(status["conditions"], kType).is_null();
  if (is_there == !managed) return;
  Json::List conditions = status["conditions"].items();
  std::erase_if(conditions, [&](const Json& condition) { return condition["type"].text() == kType; });
  if (!managed) {
    conditions.push_back(Json{{"type", Json::String(kType)},
                              {"status", Json::String("True")},
                              {"reason", Json::String(is_growing ? "FailedCreate" : "FailedDelete")},
                              {"message", Json::String(managed.error().message)},
                              {"lastTransitionTime", Json::String(FormatTime(cluster_.objects.now()))}});
  }
  status.Set("conditions", Json::MakeList(conditions));
  if (conditions.empty()) status.Erase("conditions");
}

}  // namespace berth::server
