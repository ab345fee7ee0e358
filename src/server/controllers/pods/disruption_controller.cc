// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pods/disruption_controller.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "server/controllers/owned_pods.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

// An eviction whose pod is still there after this did not happen.
constexpr Duration kEvictionLasts = Minutes(2);

// The object that says how many pods there should be: the pod's controller, or the Deployment that has it. Null if
// there is none.
ObjectPtr Scaler(const Cluster& cluster, const PodInfo& pod) {
  ObjectPtr found;
  Json object = pod.object->Tree();
  for (;;) {
    const Json& owner = ControllerOf(object);
    const Resource* resource = cluster.objects.catalog().FindKind(owner["apiVersion"].text(), owner["kind"].text());
    if (resource == nullptr || !resource->namespaced) return found;
    const ObjectPtr next = cluster.store().Find(*resource->stored, pod.object->ns(), owner["name"].text());
    if (next == nullptr) return found;
    found = next;
    object = found->Tree();
  }
}

// How many pods there should be, by those who control them. Pods that nobody controls do not count.
int64_t ExpectedCount(const Cluster& cluster, const std::vector<const PodInfo*>& pods) {
  std::set<std::string_view> owners;
  std::map<std::string, int64_t> scales;
  for (const PodInfo* pod : pods) {
    if (pod->owner_uid.empty() || !owners.insert(pod->owner_uid).second) continue;
    if (const ObjectPtr scaler = Scaler(cluster, *pod))
      scales[scaler->uid()] = scaler->Tree()["spec"]["replicas"].IntOr(0);
  }
  int64_t expected = 0;
  for (const auto& [uid, replicas] : scales) expected += replicas;
  return expected;
}

Json DisruptionCondition(bool is_allowed, const Json& budget, Time now) {
  Json condition{{"type", Json::String("DisruptionAllowed")},
                 {"status", Json::String(is_allowed ? "True" : "False")},
                 {"reason", Json::String(is_allowed ? "SufficientPods" : "InsufficientPods")},
                 {"message", Json::String("")},
                 {"observedGeneration", Json::Int(budget["metadata"]["generation"].IntOr(0))},
                 {"lastTransitionTime", Json::String(FormatTime(now))}};
  for (const Json& present : budget["status"]["conditions"].items()) {
    if (present["type"] == condition["type"] && present["status"] == condition["status"]) {
      condition.Set("lastTransitionTime", present["lastTransitionTime"]);
    }
  }
  return condition;
}

}  // namespace

void DisruptionController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &budgets_) {
    if (change.type != Change::Type::kDeleted) enqueue(object.key(), Duration{});
    return;
  }
  if (&object.resource() != &pods_) return;
  // All budgets of the namespace: there are few, and a pod that changed its labels matters to two of them.
  const std::string prefix = std::string(object.ns()) + "/";
  const Store::Objects& all = cluster_.store().All(budgets_);
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    enqueue(at->first, kSettle);
  }
}

std::vector<const PodInfo*> DisruptionController::PodsOf(const StoredObject& budget, const Json& tree) const {
  std::vector<const PodInfo*> pods;
  const auto selector = api::Selector::Compile(ReadLabelSelector(tree["spec"]["selector"]));
  if (!selector) return pods;
  const std::string prefix = std::string(budget.ns()) + "/";
  const auto& all = cluster_.pods.all();
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    if (!at->second.has_ended() && selector->Matches(at->second.object->labels())) pods.push_back(&at->second);
  }
  return pods;
}

// Evictions that were allowed and have not happened yet.
Json DisruptionController::Pending(const StoredObject& budget, const Json& tree) const {
  Json pending;
  for (const Json::Member& member : tree["status"]["disruptedPods"].members()) {
    const PodInfo* pod = cluster_.pods.Find(ObjectKey(budget.ns(), member.name));
    const Time when = ParseTime(member.value.text()).value_or(Time{});
    const bool is_recent = cluster_.objects.now() - when < kEvictionLasts;
    if (pod != nullptr && !pod->is_deleting && is_recent) pending.Set(member.name, member.value);
  }
  return pending;
}

std::optional<Duration> DisruptionController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(budgets_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr budget = found->second;
  const Json tree = budget->Tree();
  const std::vector<const PodInfo*> pods = PodsOf(*budget, tree);
  const Json pending = Pending(*budget, tree);
  const auto healthy = static_cast<int64_t>(std::ranges::count_if(pods, [&](const PodInfo* pod) {
    return pod->is_ready && !pod->is_deleting && !pending.Has(pod->object->name());
  }));
  const Json& spec = tree["spec"];
  auto expected = static_cast<int64_t>(pods.size());
  int64_t desired = spec["minAvailable"].IntOr(0);
  if (spec.Has("maxUnavailable")) {
    expected = ExpectedCount(cluster_, pods);
    desired = std::max<int64_t>(0, expected - Scaled(spec["maxUnavailable"], expected, true));
  } else if (spec["minAvailable"].is_string()) {
    expected = ExpectedCount(cluster_, pods);
    desired = Scaled(spec["minAvailable"], expected, true);
  }
  const int64_t allowed = expected <= 0 ? 0 : std::max<int64_t>(0, healthy - desired);
  const bool is_done = WriteStatus(cluster_, *budget, [&](Json& status) {
    status.Set("currentHealthy", Json::Int(healthy));
    status.Set("desiredHealthy", Json::Int(desired));
    status.Set("disruptionsAllowed", Json::Int(allowed));
    status.Set("expectedPods", Json::Int(expected));
    status.Set("observedGeneration", tree["metadata"]["generation"]);
    status.Set("disruptedPods", pending);
    if (pending.empty()) status.Erase("disruptedPods");
    status.Set("conditions", Json::MakeList({DisruptionCondition(allowed > 0, tree, cluster_.objects.now())}));
  });
  if (!is_done) return kRetry;
  return pending.empty() ? std::nullopt : std::optional(kEvictionLasts);
}

}  // namespace berth::server
