// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/replica_set_controller.h"

#include <algorithm>

namespace berth::server {

void ReplicaSetController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &sets_) {
    if (change.type != Change::Type::kDeleted) enqueue(object.key(), Duration{});
    return;
  }
  EnqueueOwner(cluster_, change, sets_.kind, enqueue);
}

std::optional<Duration> ReplicaSetController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(sets_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr set = found->second;
  const Json tree = set->Tree();
  if (tree["metadata"].Has("deletionTimestamp")) return std::nullopt;
  Json selector = tree["spec"]["selector"];
  // That of a ReplicationController is a map of labels.
  if (sets_.group.empty()) selector = Json{{"matchLabels", std::move(selector)}};
  if (!AdoptPods(*this, cluster_, *set, selector)) return kRetry;
  const Counts counts = Count(*set, tree);
  const auto wanted = static_cast<size_t>(std::max<int64_t>(0, tree["spec"]["replicas"].IntOr(1)));
  const size_t present = counts.active;
  bool is_done = true;
  if (present < wanted) is_done = Grow(*set, tree, std::min(wanted - present, kBatch));
  if (present > wanted) is_done = Shrink(*set, std::min(present - wanted, kBatch));
  if (!is_done) {
    Report(*set, tree, counts);
    return kRetry;
  }
  const size_t difference = present < wanted ? wanted - present : present - wanted;
  if (difference > kBatch) return Duration{};
  return Report(*set, tree, counts) ? std::nullopt : std::optional(kRetry);
}

ReplicaSetController::Counts ReplicaSetController::Count(const StoredObject& set, const Json& tree) const {
  Counts counts;
  const Json& wanted = tree["spec"]["template"]["metadata"]["labels"];
  for (const auto& [labels, tally] : cluster_.pods.TalliesOf(set.uid())) {
    counts.active += tally.active;
    counts.ready += tally.ready;
    const bool has_all = std::ranges::all_of(
        wanted.members(), [&](const Json::Member& label) { return labels.Get(label.name) == label.value.text(); });
    if (has_all) counts.fully_labelled += tally.active;
  }
  return counts;
}

bool ReplicaSetController::Grow(const StoredObject& set, const Json& tree, size_t count) {
  Json pod = PodFromTemplate(tree["spec"]["template"], set);
  pod.Make("metadata").Set("generateName", std::string(set.name()) + "-");
  for (size_t i = 0; i < count; ++i) {
    const auto created = cluster_.objects.Create(pods_, set.ns(), pod, {.manager = "kube-controller-manager"});
    if (!Succeeded(*this, created)) return false;
  }
  return true;
}

bool ReplicaSetController::Shrink(const StoredObject& set, size_t count) {
  std::vector<PodInfo> active = PodsOf(cluster_, set);
  std::erase_if(active, [](const PodInfo& pod) { return !pod.is_active(); });
  SortForRemoval(active);
  active.resize(count);
  return std::ranges::all_of(active, [&](const PodInfo& pod) { return DeletePod(cluster_, pod); });
}

bool ReplicaSetController::Report(const StoredObject& set, const Json& tree, const Counts& counts) {
  // What was made or removed just now is seen by the next look, which its change asks for.
  return WriteStatus(cluster_, set, [&](Json& status) {
    const auto set_count = [&](std::string_view name, size_t count) {
      status.Set(name, Json::Int(static_cast<int64_t>(count)));
      if (count == 0 && name != "replicas") status.Erase(name);
    };
    set_count("replicas", counts.active);
    set_count("readyReplicas", counts.ready);
    set_count("availableReplicas", counts.ready);
    set_count("fullyLabeledReplicas", counts.fully_labelled);
    status.Set("observedGeneration", tree["metadata"]["generation"]);
  });
}

}  // namespace berth::server
