// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/disruption_controller.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "server/label_selector.h"

namespace berth::server {
namespace {

// An eviction whose pod is still there after this did not happen.
constexpr Duration kEvictionLasts = Minutes(2);

// A number, or a percentage of `total`, rounded up.
int64_t Scaled(const Json& value, int64_t total) {
  if (const std::optional<int64_t> number = value.AsInt()) return *number;
  int64_t percent = 0;
  const std::string& text = value.text();
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return (percent * total + 99) / 100;
}

// How many pods there should be: what their owners ask for, or how many there are.
int64_t ExpectedCount(const Cluster& cluster, const std::vector<const PodInfo*>& pods) {
  std::vector<std::string> owners;
  int64_t expected = 0;
  for (const PodInfo* pod : pods) {
    if (pod->owner_uid.empty()) {
      ++expected;
      continue;
    }
    if (std::ranges::find(owners, pod->owner_uid) != owners.end()) continue;
    owners.push_back(pod->owner_uid);
    const Json tree = pod->object->Tree();
    int64_t replicas = 0;
    for (const Json& owner : tree["metadata"]["ownerReferences"].items()) {
      if (!owner["controller"].AsBool()) continue;
      const Resource* resource =
          cluster.objects.catalog().FindKind(owner["apiVersion"].text(), owner["kind"].text());
      const ObjectPtr found =
          resource == nullptr ? nullptr : cluster.store().Find(*resource, pod->object->ns(), owner["name"].text());
      if (found != nullptr) replicas = found->Tree()["spec"]["replicas"].IntOr(0);
    }
    const auto owned = static_cast<int64_t>(
        std::ranges::count(pods, pod->owner_uid, [](const PodInfo* other) { return other->owner_uid; }));
    expected += replicas > 0 ? replicas : owned;
  }
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
    enqueue(at->first, Duration{});
  }
}

std::optional<Duration> DisruptionController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(budgets_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr budget = found->second;
  const Json tree = budget->Tree();
  const auto selector = api::Selector::Compile(ReadLabelSelector(tree["spec"]["selector"]));
  if (!selector) return std::nullopt;

  const std::string prefix = std::string(budget->ns()) + "/";
  std::vector<const PodInfo*> pods;
  for (auto at = cluster_.pods.all().lower_bound(prefix);
       at != cluster_.pods.all().end() && at->first.starts_with(prefix); ++at) {
    if (!at->second.has_ended() && selector->Matches(at->second.object->labels())) pods.push_back(&at->second);
  }
  const Time now = cluster_.objects.now();
  Json disrupted;
  for (const Json::Member& member : tree["status"]["disruptedPods"].members()) {
    const PodInfo* pod = cluster_.pods.Find(prefix + member.name);
    const Time when = ParseTime(member.value.text()).value_or(Time{});
    if (pod != nullptr && !pod->is_deleting && now - when < kEvictionLasts) disrupted.Set(member.name, member.value);
  }
  const auto healthy = static_cast<int64_t>(std::ranges::count_if(pods, [&](const PodInfo* pod) {
    return pod->is_ready && !pod->is_deleting && !disrupted.Has(pod->object->name());
  }));
  const auto count = static_cast<int64_t>(pods.size());
  const Json& spec = tree["spec"];
  int64_t expected = count;
  int64_t desired = spec["minAvailable"].IntOr(0);
  if (spec.Has("maxUnavailable")) {
    expected = ExpectedCount(cluster_, pods);
    desired = std::max<int64_t>(0, expected - Scaled(spec["maxUnavailable"], expected));
  } else if (spec["minAvailable"].is_string()) {
    expected = ExpectedCount(cluster_, pods);
    desired = Scaled(spec["minAvailable"], expected);
  }
  const int64_t allowed = expected <= 0 ? 0 : std::max<int64_t>(0, healthy - desired);

  const auto written = cluster_.objects.Update(
      budgets_, budget->ns(), budget->name(), {.manager = "kube-controller-manager", .subresource = "status"},
      [&](const Json& current) -> Outcome<Json> {
        Json changed = current;
        Json& status = changed.Make("status");
        status.Set("currentHealthy", Json::Int(healthy));
        status.Set("desiredHealthy", Json::Int(desired));
        status.Set("disruptionsAllowed", Json::Int(allowed));
        status.Set("expectedPods", Json::Int(expected));
        status.Set("observedGeneration", current["metadata"]["generation"]);
        status.Set("disruptedPods", disrupted);
        if (disrupted.empty()) status.Erase("disruptedPods");
        status.Set("conditions", Json::MakeList({DisruptionCondition(allowed > 0, current, now)}));
        return changed;
      });
  if (!written) return kRetry;
  return disrupted.empty() ? std::nullopt : std::optional(kEvictionLasts);
}

}  // namespace berth::server
