// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/simulated_pods.h"

#include <algorithm>

#include "server/controllers/device_claim_names.h"
#include "server/kinds/pods/life_annotations.h"
#include "server/model/find_condition.h"
#include "server/nodes/node_status.h"
#include "server/objects/pod_actions.h"

namespace berth::server {
namespace {

// A Job's pod is seen Running before it ends.
constexpr Duration kJobPodRuns = Seconds(1);

Duration Annotated(const Json& pod, std::string_view name) {
  const std::string& text = pod["metadata"]["annotations"][name].text();
  return text.empty() ? Duration{} : ParseDuration(text).value_or(Duration{});
}

bool BelongsToJob(const Json& pod) {
  return std::ranges::any_of(pod["metadata"]["ownerReferences"].items(),
                             [](const Json& owner) { return owner["kind"].text() == "Job"; });
}

Json Condition(std::string_view type, std::string_view status, std::string_view reason = {}) {
  Json condition{{"type", Json::String(type)}, {"status", Json::String(status)}};
  if (!reason.empty()) condition.Set("reason", reason);
  return condition;
}

// The status of each container in `state`, a map such as {"running": ...}.
Json ContainerStatuses(const Json& containers, const Json& state, bool is_ready) {
  Json statuses = Json::MakeList();
  for (const Json& container : containers.items()) {
    statuses.Append(Json{{"name", container["name"]},
                         {"image", container["image"]},
                         {"imageID", Json::String("")},
                         {"lastState", Json::MakeMap()},
                         {"ready", Json::Bool(is_ready)},
                         {"started", Json::Bool(is_ready)},
                         {"restartCount", Json::Int(0)},
                         {"state", state}});
  }
  return statuses;
}

Json Terminated(const std::string& started, const std::string& finished, bool has_failed) {
  return Json{{"terminated", Json{{"exitCode", Json::Int(has_failed ? 1 : 0)},
                                  {"reason", Json::String(has_failed ? "Error" : "Completed")},
                                  {"startedAt", Json::String(started)},
                                  {"finishedAt", Json::String(finished)}}}};
}

Json Address(const std::string& address) { return Json::MakeList({Json{{"ip", Json::String(address)}}}); }

// How long the pod runs, and whether it fails then. Zero: for ever.
struct Lifetime {
  Duration length;
  bool fails = false;
};
Lifetime LifetimeOf(const Json& pod) {
  if (const Duration fails = Annotated(pod, kFailAfter); fails > Duration{}) return {fails, true};
  if (const Duration completes = Annotated(pod, kCompleteAfter); completes > Duration{}) return {completes};
  return {BelongsToJob(pod) ? kJobPodRuns : Duration{}};
}

std::optional<Time> BoundAt(const Json& pod) {
  const Json& scheduled = FindCondition(pod["status"]["conditions"], "PodScheduled");
  const Result<Time> when = ParseTime(scheduled["lastTransitionTime"].text());
  return when ? std::optional(*when) : std::nullopt;
}

}  // namespace

bool EndsOfItself(const Json& pod) { return LifetimeOf(pod).length > Duration{}; }

void SimulatedPods::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &nodes_) {
    // Its kubelet may be heard of again.
    if (change.type == Change::Type::kDeleted) {
      hosts_.erase(object.key());
      return;
    }
    const PodIndex::Keys& pods = cluster_.pods.OnNode(object.name());
    if (pods.empty() || (change.before != nullptr && !HostOf(*change.before).is_silent)) return;
    if (HostOf(object).is_silent) return;
    for (const std::string& key : pods) enqueue(key, Duration{});
    return;
  }
  if (&object.resource() == &claims_) {
    for (const std::string& key : cluster_.pods.UsingDeviceClaim(object.key())) enqueue(key, Duration{});
  }
  if (&object.resource() != &pods_) return;
  if (change.type == Change::Type::kDeleted) {
    starts_.erase(object.key());
    deletions_.erase(object.key());
    return addresses_.Release(object.key());
  }
  if (object.Field("spec.nodeName").empty()) return;
  if (object.is_being_deleted() && lives_.termination > Duration{}) {
    deletions_.try_emplace(object.key(), cluster_.objects.now() + lives_.termination);
  }
  if (const std::string_view address = object.Field("status.podIP"); change.before == nullptr && !address.empty()) {
    addresses_.Keep(object.key(), address);
  }
  enqueue(object.key(), Duration{});
}

const SimulatedPods::Host& SimulatedPods::HostOf(const StoredObject& node) {
  Host& host = hosts_[node.key()];
  if (host.revision == node.revision()) return host;
  const TreePtr tree = node.tree();
  const Json& ready = FindCondition((*tree)["status"]["conditions"], "Ready");
  host = {.revision = node.revision(),
          .is_silent = ready["status"].text() == "Unknown",
          .address = HostAddressOf((*tree)["status"])};
  return host;
}

std::optional<Duration> SimulatedPods::Sync(const std::string& key) {
  const PodInfo* pod = cluster_.pods.Find(key);
  if (pod == nullptr || pod->node.empty()) return std::nullopt;
  const ObjectPtr node = cluster_.store().Find(nodes_, "", pod->node);
  // No kubelet, no life, and no end either. The pods of nodes that are gone are collected.
  if (node == nullptr) return std::nullopt;
  const Host& host = HostOf(*node);
  if (host.is_silent) return std::nullopt;
  if (pod->is_deleting) return Delete(*pod);
  if (pod->phase == PodInfo::Phase::kPending) return Run(*pod, *pod->object->tree(), host.address);
  if (pod->phase == PodInfo::Phase::kRunning && lives_.end) return End(*pod, *pod->object->tree());
  return std::nullopt;
}

std::optional<Duration> SimulatedPods::Delete(const PodInfo& pod) {
  const ObjectPtr gone = pod.object;
  const auto due = deletions_.find(gone->key());
  const Time now = cluster_.objects.now();
  if (due != deletions_.end() && due->second > now) return due->second - now;
  const auto deleted =
      cluster_.objects.Delete(pods_, gone->ns(), gone->name(), {.grace_seconds = 0, .uid = gone->uid()});
  return Succeeded(*this, deleted) ? std::nullopt : std::optional(kRetry);
}

bool SimulatedPods::HasDevices(const PodInfo& pod) const {
  if (pod.awaits_device_claims) return false;
  return std::ranges::all_of(pod.device_claims, [&](const std::string& name) {
    const ObjectPtr claim = cluster_.store().Find(claims_, pod.object->ns(), name);
    return claim != nullptr && IsReservedFor(*claim->tree(), pod.object->uid(), pod.group);
  });
}

std::optional<Duration> SimulatedPods::Run(const PodInfo& pod, const Json& tree, const std::string& host) {
  const Time now = cluster_.objects.now();
  if (!HasDevices(pod)) return std::nullopt;
  if (const Time due = BoundAt(tree).value_or(now) + Annotated(tree, kStartAfter); due > now) return due - now;
  const Json& spec = tree["spec"];
  const std::string address = spec["hostNetwork"].AsBool() ? host : addresses_.Take(pod.node, pod.key());
  const std::string when = FormatTime(now);
  Json running = tree;
  Json& status = running.Make("status");
  status.Set("phase", "Running");
  status.SetDefault("startTime", Json::String(when));
  if (!host.empty()) {
    status.Set("hostIP", host);
    status.Set("hostIPs", Address(host));
  }
  if (!address.empty()) {
    status.Set("podIP", address);
    status.Set("podIPs", Address(address));
  }
  if (!spec["initContainers"].empty()) {
    status.Set("initContainerStatuses", ContainerStatuses(spec["initContainers"], Terminated(when, when, false), true));
  }
  const Json started{{"running", Json{{"startedAt", Json::String(when)}}}};
  status.Set("containerStatuses", ContainerStatuses(spec["containers"], started, true));
  for (const std::string_view type : {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"}) {
    SetPodCondition(running, Condition(type, "True"), now);
  }
  for (const Json& gate : spec["readinessGates"].items()) {
    SetPodCondition(running, Condition(gate["conditionType"].text(), "True"), now);
  }
  if (lives_.end && EndsOfItself(tree)) starts_.try_emplace(pod.key(), now);
  return Write(pod, std::move(running));
}

std::optional<Duration> SimulatedPods::End(const PodInfo& pod, const Json& tree) {
  const auto [length, has_failed] = LifetimeOf(tree);
  if (length == Duration{}) return std::nullopt;
  const Time now = cluster_.objects.now();
  const std::string& began = tree["status"]["startTime"].text();
  const auto start = starts_.find(pod.key());
  const Time due = (start == starts_.end() ? ParseTime(began).value_or(now) : start->second) + length;
  if (due > now) return due - now;
  starts_.erase(pod.key());
  Json ended = tree;
  Json& status = ended.Make("status");
  status.Set("phase", has_failed ? "Failed" : "Succeeded");
  status.Set("containerStatuses",
             ContainerStatuses(tree["spec"]["containers"], Terminated(began, FormatTime(now), has_failed), false));
  for (const std::string_view type : {"Ready", "ContainersReady"}) {
    SetPodCondition(ended, Condition(type, "False", has_failed ? "PodFailed" : "PodCompleted"), now);
  }
  return Write(pod, std::move(ended));
}

std::optional<Duration> SimulatedPods::Write(const PodInfo& pod, Json tree) {
  const ObjectPtr object = pod.object;
  const auto written =
      cluster_.objects.Update(pods_, object->ns(), object->name(), {.manager = "kubelet", .subresource = "status"},
                              [&](const Json&) -> Outcome<Json> { return std::move(tree); });
  return Succeeded(*this, written) ? std::nullopt : std::optional(kRetry);
}

}  // namespace berth::server
