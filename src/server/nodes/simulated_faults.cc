// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/simulated_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "server/model/find_condition.h"
#include "server/nodes/node_status.h"
#include "server/nodes/pod_turn.h"

namespace berth::server {
namespace {

constexpr Duration kEvictionPeriod = Seconds(10);
// Pods from this priority on are critical to the cluster.
constexpr int64_t kCritical = 2'000'000'000;
constexpr std::string_view kLowOnDisk = "The node was low on resource: ephemeral-storage. ";

// How conditions look while a node has a fault.
struct Symptom {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string_view message;
};
constexpr Symptom kNotReady[] = {{"Ready", "False", "KubeletNotReady", "container runtime is down"}};
constexpr std::string_view kSilence = "Kubelet stopped posting node status.";
constexpr Symptom kSilent[] = {{"MemoryPressure", "Unknown", "NodeStatusUnknown", kSilence},
                               {"DiskPressure", "Unknown", "NodeStatusUnknown", kSilence},
                               {"PIDPressure", "Unknown", "NodeStatusUnknown", kSilence},
                               {"Ready", "Unknown", "NodeStatusUnknown", kSilence}};
constexpr Symptom kFullDisk[] = {{"DiskPressure", "True", "KubeletHasDiskPressure", "kubelet has disk pressure"}};

std::span<const Symptom> SymptomsOf(NodeFault::Kind kind) {
  if (kind == NodeFault::Kind::kNotReady) return kNotReady;
  if (kind == NodeFault::Kind::kSilent) return kSilent;
  return kFullDisk;
}

void SetCondition(Json& node, const Symptom& symptom, Time now) {
  Json* condition = FindMutableCondition(node.Make({"status", "conditions"}), symptom.type);
  if (condition == nullptr) return;
  const std::string when = FormatTime(now);
  if ((*condition)["status"].text() != symptom.status) condition->Set("lastTransitionTime", when);
  condition->Set("lastHeartbeatTime", when);
  condition->Set("status", symptom.status);
  condition->Set("reason", symptom.reason);
  condition->Set("message", symptom.message);
}

bool HasAll(const Json& node, std::span<const Symptom> symptoms) {
  return std::ranges::all_of(symptoms, [&](const Symptom& symptom) {
    return FindCondition(node["status"]["conditions"], symptom.type)["reason"].text() == symptom.reason;
  });
}

// By number and node.
std::pair<size_t, std::string_view> Parts(std::string_view key) {
  const size_t slash = key.find('/');
  size_t number = 0;
  std::from_chars(key.data(), key.data() + slash, number);
  return {number, key.substr(slash + 1)};
}

}  // namespace

void SimulatedFaults::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& node = *change.object;
  if (&node.resource() != &nodes_ || change.type != Change::Type::kAdded) return;
  const std::vector<NodeFault>& faults = behaviour_.FaultsOf(node.labels());
  for (size_t i = 0; i < faults.size(); ++i) {
    std::string key = fmt::format("{}/{}", i, node.name());
    Random random = behaviour_.RandomFor("node/" + key);
    const auto every = static_cast<uint64_t>(faults[i].every.nanos);
    enqueue(std::move(key), Duration{static_cast<int64_t>(random.Below(every)) + 1});
  }
}

std::optional<Duration> SimulatedFaults::Sync(const std::string& key) {
  const auto [number, name] = Parts(key);
  const ObjectPtr node = cluster_.store().Find(nodes_, "", name);
  const auto active = ends_.find(key);
  if (node == nullptr || number >= behaviour_.FaultsOf(node->labels()).size()) {
    if (active != ends_.end()) ends_.erase(active);
    return std::nullopt;
  }
  const NodeFault& fault = behaviour_.FaultsOf(node->labels())[number];
  const Time now = cluster_.objects.now();
  if (active != ends_.end() && active->second <= now) {
    if (!End(*node, fault)) return kRetry;
    ends_.erase(active);
    return fault.every - fault.length;
  }
  if (active == ends_.end()) {
    if (!Begin(*node, fault)) return fault.every;
    ends_.emplace(key, now + fault.length);
  }
  const Duration left = ends_.at(key) - now;
  if (fault.kind != NodeFault::Kind::kDiskPressure) return left;
  EvictOne(*node);
  return std::min(left, kEvictionPeriod);
}

bool SimulatedFaults::Begin(const StoredObject& node, const NodeFault& fault) {
  const TreePtr tree = node.tree();
  if (!IsTrue((*tree)["status"]["conditions"], "Ready")) return false;
  Json changed = *tree;
  for (const Symptom& symptom : SymptomsOf(fault.kind)) SetCondition(changed, symptom, cluster_.objects.now());
  return Succeeded(*this,
                   cluster_.objects.Update(nodes_, "", node.name(), {.manager = "kubelet", .subresource = "status"},
                                           [&](const Json&) -> Outcome<Json> { return std::move(changed); }));
}

bool SimulatedFaults::End(const StoredObject& node, const NodeFault& fault) {
  const TreePtr tree = node.tree();
  // Somebody else may have seen to it meanwhile.
  if (!HasAll(*tree, SymptomsOf(fault.kind))) return true;
  const Time now = cluster_.objects.now();
  const Json healthy = ReadyConditions(now);
  Json changed = *tree;
  for (const Symptom& symptom : SymptomsOf(fault.kind)) {
    const Json& condition = FindCondition(healthy, symptom.type);
    SetCondition(changed,
                 {symptom.type, condition["status"].text(), condition["reason"].text(), condition["message"].text()},
                 now);
  }
  return Succeeded(*this,
                   cluster_.objects.Update(nodes_, "", node.name(), {.manager = "kubelet", .subresource = "status"},
                                           [&](const Json&) -> Outcome<Json> { return std::move(changed); }));
}

void SimulatedFaults::EvictOne(const StoredObject& node) {
  const PodInfo* victim = nullptr;
  int64_t lowest = kCritical;
  for (const std::string& key : cluster_.pods.OnNode(node.name())) {
    const PodInfo* pod = cluster_.pods.Find(key);
    if (pod == nullptr || !pod->is_active()) continue;
    const int64_t priority = (*pod->object->tree())["spec"]["priority"].IntOr(0);
    if (priority >= lowest) continue;
    lowest = priority;
    victim = pod;
  }
  if (victim == nullptr) return;
  const ObjectPtr pod = victim->object;
  const PodScript script;
  PodMemory memory;
  PodTurn turn(pod->Tree(), script, memory, cluster_.objects.now(), events_.HasRoom());
  turn.Evict(kLowOnDisk);
  const auto written =
      cluster_.objects.Update(pods_, pod->ns(), pod->name(), {.manager = "kubelet", .subresource = "status"},
                              [&](const Json&) -> Outcome<Json> { return turn.Conclude(); });
  if (Succeeded(*this, written)) events_.Tell(*pod, node.name(), turn.TakeNotices());
}

}  // namespace berth::server
