// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/devices/device_taint_eviction.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/controllers/device_claim_names.h"
#include "server/controllers/event_report.h"
#include "server/controllers/owned_pods.h"
#include "server/model/find_condition.h"
#include "server/objects/pod_actions.h"

namespace berth::server {
namespace {

// The status of a rule does not change more often than this.
constexpr Duration kStatusPeriod = Seconds(10);
constexpr std::string_view kInProgress = "EvictionInProgress";

std::string Counted(size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count, many);
}

}  // namespace

void DeviceTaintEviction::OnChange(const Change& change, const Enqueue& enqueue) {
  const Resource* resource = &change.object->resource();
  if (resource == &slices_) {
    OnSlice(change, enqueue);
  } else if (resource == &rules_) {
    OnRule(change, enqueue);
  } else if (resource == &pods_) {
    OnPod(change, enqueue);
  } else if (resource == &claims_ && !taints_.empty()) {
    for (const std::string& pod : cluster_.pods.UsingDeviceClaim(change.object->key())) enqueue(pod, {});
  }
}

void DeviceTaintEviction::OnSlice(const Change& change, const Enqueue& enqueue) {
  const bool is_deletion = change.type == Change::Type::kDeleted;
  const bool has_effect = is_deletion ? taints_.RemoveSlice(*change.object) : taints_.PutSlice(*change.object);
  if (has_effect) LookAtPods(enqueue);
}

void DeviceTaintEviction::OnRule(const Change& change, const Enqueue& enqueue) {
  const StoredObject& rule = *change.object;
  if (change.type == Change::Type::kDeleted) {
    taints_.RemoveRule(rule);
    evicted_counts_.erase(std::string(rule.name()));
    return LookAtPods(enqueue);
  }
  if (change.before != nullptr && (*change.before->tree())["spec"] == (*rule.tree())["spec"]) return;
  taints_.PutRule(rule);
  enqueue(std::string(rule.name()), {});
  LookAtPods(enqueue);
}

void DeviceTaintEviction::OnPod(const Change& change, const Enqueue& enqueue) {
  const StoredObject& pod = *change.object;
  if (change.type == Change::Type::kDeleted) {
    due_.erase(pod.key());
    const auto evicted = evicted_by_.find(pod.key());
    if (evicted == evicted_by_.end()) return;
    for (const std::string& rule : evicted->second) enqueue(rule, kStatusPeriod);
    evicted_by_.erase(evicted);
  } else if (!taints_.empty()) {
    const PodInfo* info = cluster_.pods.Find(pod.key());
    if (info != nullptr && info->has_device_claims && !info->node.empty()) enqueue(pod.key(), {});
  }
}

void DeviceTaintEviction::LookAtPods(const Enqueue& enqueue) const {
  for (const auto& [key, pod] : cluster_.pods.all()) {
    if (pod.has_device_claims && !pod.node.empty()) enqueue(key, {});
  }
}

std::optional<Duration> DeviceTaintEviction::Sync(const std::string& key) {
  return key.contains('/') ? SyncPod(key) : SyncRule(key);
}

std::optional<Duration> DeviceTaintEviction::SyncPod(const std::string& key) {
  const PodInfo* found = cluster_.pods.Find(key);
  if (found == nullptr || found->is_deleting) {
    due_.erase(key);
    return std::nullopt;
  }
  const PodInfo pod = *found;
  const std::optional<DeviceTaints::Eviction> eviction = EvictionOf(pod);
  if (!eviction) {
    if (due_.erase(key) > 0) {
      ReportEvent(cluster_, *pod.object, name(),
                  {.type = "Normal", .reason = "DeviceTaintManagerEviction", .message = "Cancelling deletion"});
    }
    return std::nullopt;
  }
  const Time now = cluster_.objects.now();
  due_.insert(key);
  if (eviction->when > now) return eviction->when - now;
  return Evict(pod, *eviction) ? std::nullopt : std::optional(kRetry);
}

std::optional<DeviceTaints::Eviction> DeviceTaintEviction::EvictionOf(const PodInfo& pod, const Json* pretended) const {
  std::optional<DeviceTaints::Eviction> first;
  if (pod.node.empty()) return first;
  const TreePtr tree = pod.object->tree();
  for (const Json& entry : (*tree)["spec"]["resourceClaims"].items()) {
    const std::optional<std::string> name = DeviceClaimName(*tree, entry);
    const ObjectPtr found = name ? cluster_.store().Find(claims_, pod.object->ns(), *name) : nullptr;
    if (found == nullptr) continue;
    const TreePtr claim = found->tree();
    const std::string& uid = pod.object->uid();
    if (entry.Has("resourceClaimTemplateName") && !IsMadeFor(*claim, uid, pod.group)) continue;
    if (!IsReservedFor(*claim, uid, pod.group)) continue;
    std::optional<DeviceTaints::Eviction> eviction = taints_.EvictionOf(*claim, pretended);
    if (!eviction) continue;
    if (first) {
      eviction->when = std::min(eviction->when, first->when);
      eviction->rules.merge(first->rules);
    }
    first = std::move(eviction);
  }
  return first;
}

bool DeviceTaintEviction::Evict(const PodInfo& pod, const DeviceTaints::Eviction& eviction) {
  ReportEvent(cluster_, *pod.object, name(),
              {.type = "Normal", .reason = "DeviceTaintManagerEviction", .message = "Marking for deletion"});
  Json tree = pod.object->Tree();
  SetPodCondition(tree,
                  Json{{"type", Json::String("DisruptionTarget")},
                       {"status", Json::String("True")},
                       {"reason", Json::String("DeletionByDeviceTaintManager")},
                       {"message", Json::String("Device Taint manager: deleting due to NoExecute taint")}},
                  cluster_.objects.now());
  cluster_.objects.Overwrite(*pod.object, std::move(tree), false);
  // The pod may be gone as soon as it is deleted.
  evicted_by_[pod.key()] = eviction.rules;
  if (!DeletePod(cluster_, pod)) {
    evicted_by_.erase(pod.key());
    return false;
  }
  due_.erase(pod.key());
  for (const std::string& rule : eviction.rules) ++evicted_counts_[rule];
  return true;
}

std::pair<size_t, size_t> DeviceTaintEviction::CountPods(const Json& rule, const Json* pretended) const {
  size_t count = 0;
  std::set<std::string_view> namespaces;
  for (const auto& [key, pod] : cluster_.pods.all()) {
    if (!pod.has_device_claims || pod.is_deleting) continue;
    const std::optional<DeviceTaints::Eviction> eviction = EvictionOf(pod, pretended);
    if (!eviction || !eviction->rules.contains(rule["metadata"]["name"].text())) continue;
    ++count;
    namespaces.insert(pod.object->ns());
  }
  return {count, namespaces.size()};
}

Json DeviceTaintEviction::ConditionOf(const Json& rule) const {
  const std::string& effect = rule["spec"]["taint"]["effect"].text();
  const auto evicted = evicted_counts_.find(rule["metadata"]["name"].text());
  const size_t evicted_count = evicted == evicted_counts_.end() ? 0 : evicted->second;
  std::string status = "False";
  std::string reason;
  std::string message;
  if (effect == "NoExecute") {
    const auto [pods, namespaces] = CountPods(rule, nullptr);
    reason = evicted_count > 0 ? "Completed" : "NotStarted";
    if (pods > 0) {
      status = "True";
      reason = "PodsPendingEviction";
      message = fmt::format("{} to be evicted in {}.", Counted(pods, "pod needs", "pods need"),
                            Counted(namespaces, "namespace", "different namespaces"));
    }
  } else if (effect == "None") {
    const auto [pods, namespaces] = CountPods(rule, &rule);
    size_t allocated = 0;
    for (const auto& [key, claim] : cluster_.store().All(claims_)) {
      const TreePtr tree = claim->tree();
      allocated += static_cast<size_t>(
          std::ranges::count_if((*tree)["status"]["allocation"]["devices"]["results"].items(), [&](const Json& result) {
            return DeviceTaints::Selects(rule, result["driver"].text(), result["pool"].text(), result["device"].text());
          }));
    }
    reason = "NoEffect";
    message = fmt::format(
        "{} selected. {} selected. {} would be evicted in {} if the effect was NoExecute. This information will not be "
        "updated again. Recreate the DeviceTaintRule to trigger an update.",
        Counted(taints_.CountSelected(rule), "published device", "published devices"),
        Counted(allocated, "allocated device", "allocated devices"), Counted(pods, "pod", "pods"),
        Counted(namespaces, "namespace", "different namespaces"));
  } else {
    reason = "OtherEffect";
    message = "Eviction only happens for the NoExecute effect.";
  }
  if (evicted_count > 0) {
    message += fmt::format("{}{} evicted since starting the controller.", message.empty() ? "" : " ",
                           Counted(evicted_count, "pod", "pods"));
  }
  return Json{{"type", Json::String(kInProgress)},
              {"status", Json::String(status)},
              {"reason", Json::String(reason)},
              {"message", Json::String(message)},
              {"observedGeneration", rule["metadata"]["generation"]}};
}

std::optional<Duration> DeviceTaintEviction::SyncRule(const std::string& name) {
  const ObjectPtr found = cluster_.store().Find(rules_, "", name);
  if (found == nullptr) return std::nullopt;
  const Json rule = found->Tree();
  const Json& present = FindCondition(rule["status"]["conditions"], kInProgress);
  const Time now = cluster_.objects.now();
  if (present["observedGeneration"] == rule["metadata"]["generation"]) {
    const Time changed = ParseTime(present["lastTransitionTime"].text()).value_or(Time{});
    if (now - changed < kStatusPeriod) return kStatusPeriod - (now - changed);
  }
  Json condition = ConditionOf(rule);
  condition.Set("lastTransitionTime", present["lastTransitionTime"]);
  if (condition == present) return std::nullopt;
  condition.Set("lastTransitionTime", FormatTime(now));
  const bool is_done = WriteStatus(cluster_, *found, [&](Json& status) {
    if (!status["conditions"].is_list()) status.Set("conditions", Json::MakeList());
    Json& conditions = status.Make("conditions");
    if (Json* old = FindMutableCondition(conditions, kInProgress)) {
      *old = std::move(condition);
    } else {
      conditions.Append(std::move(condition));
    }
  });
  return is_done ? std::nullopt : std::optional(kRetry);
}

}  // namespace berth::server
