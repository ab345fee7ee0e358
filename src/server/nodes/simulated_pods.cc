// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/simulated_pods.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/controllers/device_claim_names.h"
#include "server/model/find_condition.h"
#include "server/nodes/host_ports.h"
#include "server/nodes/node_status.h"
#include "server/nodes/pod_conditions.h"
#include "server/nodes/pod_resizing.h"
#include "server/objects/pod_actions.h"

namespace berth::server {
namespace {

// Until a pod that a kubelet does not take in has failed, from its binding on, as far as whole seconds tell: those who
// make another one at once, for the same node, are not to keep the cluster busy.
constexpr Duration kTurnedDownAfter = Seconds(2);

constexpr std::string_view kPortsTaken =
    "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";

std::optional<Time> BoundAt(const Json& pod) {
  const Json& scheduled = FindCondition(pod["status"]["conditions"], "PodScheduled");
  const Result<Time> when = ParseTime(scheduled["lastTransitionTime"].text());
  return when ? std::optional(*when) : std::nullopt;
}

Time CreatedAt(const Json& pod) { return ParseTime(pod["metadata"]["creationTimestamp"].text()).value_or(Time{}); }

int64_t GenerationOf(const Json& pod) { return pod["metadata"]["generation"].IntOr(0); }

// Pods that came in as they are may have been seen by nobody.
bool HasNews(const Json& pod) {
  const int64_t observed = pod["status"]["observedGeneration"].IntOr(0);
  return observed != GenerationOf(pod) && (observed > 0 || GenerationOf(pod) > 1);
}

bool AllRun(const Json& pod) {
  return std::ranges::all_of(pod["status"]["containerStatuses"].items(), [](const Json& status) {
    return status["ready"].AsBool() && status["state"].Has("running");
  });
}

// Whether a running pod needs no look before it changes.
bool IsSettled(const Json& pod, const PodScript& script) {
  return !script.takes_time() && !HasNews(pod) && AllRun(pod) && !pod["spec"].Has("activeDeadlineSeconds") &&
         !pod["spec"].Has("readinessGates");
}

// Somebody waits for its place, and it goes at once, as plans have it: others could take the place meanwhile.
bool IsPreempted(const Json& pod) {
  return FindCondition(pod["status"]["conditions"], "DisruptionTarget")["reason"].text() == "PreemptionByScheduler";
}

}  // namespace

PodScript ScriptOf(const StoredObject& pod, const PodLives& lives) {
  const TreePtr tree = pod.tree();
  const bool is_usual = lives.behaviour == nullptr || lives.behaviour->pods.empty();
  PodScript otherwise = is_usual ? PodScript() : lives.behaviour->ScriptFor(*tree, pod.labels());
  otherwise.obeys_commands = lives.commands;
  PodScript script = ScriptOf(*tree, std::move(otherwise));
  if (!lives.end) {
    script.exit_after = script.end_after = Duration{};
    script.commands.clear();
  }
  return script;
}

void SimulatedPods::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &nodes_) {
    // Its kubelet may be heard of again.
    if (change.type == Change::Type::kDeleted) {
      hosts_.erase(object.key());
      return;
    }
    RetryResizes(object.name(), enqueue);
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
  const std::string_view node = object.Field("spec.nodeName");
  if (change.type == Change::Type::kDeleted) {
    memories_.erase(object.key());
    deletions_.erase(object.key());
    addresses_.Release(object.key());
    if (const auto waiting = deferred_.find(node); waiting != deferred_.end()) waiting->second.erase(object.key());
    return RetryResizes(node, enqueue);
  }
  if (node.empty()) return;
  RetryResizes(node, enqueue);
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
          .address = HostAddressOf((*tree)["status"]),
          .handlers = {}};
  for (const Json& handler : (*tree)["status"]["runtimeHandlers"].items()) {
    host.handlers.push_back(handler["name"].text());
  }
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
  if (!pod->has_ended()) return Live(*pod, *pod->object->tree(), host);
  memories_.erase(key);
  return std::nullopt;
}

bool SimulatedPods::HasDevices(const PodInfo& pod) const {
  if (pod.awaits_device_claims) return false;
  return std::ranges::all_of(pod.device_claims, [&](const std::string& name) {
    const ObjectPtr claim = cluster_.store().Find(claims_, pod.object->ns(), name);
    return claim != nullptr && IsReservedFor(*claim->tree(), pod.object->uid(), pod.group);
  });
}

std::optional<Duration> SimulatedPods::Live(const PodInfo& pod, const Json& tree, const Host& host) {
  const PodScript script = ScriptOf(*pod.object, lives_);
  const bool is_pending = pod.phase == PodInfo::Phase::kPending;
  if (!is_pending && GenerationOf(tree) > 1 && (AwaitsResize(tree) || TellsOfResize(tree))) {
    if (const std::optional<Duration> again = Resize(pod, tree)) return again;
  }
  if (!is_pending && pod.is_ready && IsSettled(tree, script)) return std::nullopt;
  PodMemory none;
  PodMemory& memory = script.takes_time() ? memories_[pod.key()] : none;
  PodTurn turn(tree, script, memory, cluster_.objects.now(), events_.HasRoom());
  if (lives_.end) turn.EndIfOverdue();
  if (turn.has_changed()) return Write(pod, turn);
  if (is_pending) {
    if (!HasDevices(pod)) return turn.again();
    if (LacksPorts(pod, tree)) {
      const bool is_due = turn.IsDue(BoundAt(tree).value_or(CreatedAt(tree)) + kTurnedDownAfter);
      return is_due ? TurnDown(pod, tree) : turn.again();
    }
    Start(pod, tree, script.start_after, host, turn);
  } else {
    if (HasNews(tree)) turn.Observe();
    turn.Advance();
  }
  // Somebody else may have opened or closed a readiness gate, or have marked the pods of a node that was not ready.
  const bool is_marked = !is_pending && !pod.is_ready && tree["status"].Has("containerStatuses") && AllRun(tree);
  const bool is_told = turn.has_changed() || is_marked || tree["spec"].Has("readinessGates");
  return is_told ? Write(pod, turn) : turn.again();
}

bool SimulatedPods::LacksPorts(const PodInfo& pod, const Json& tree) const {
  if (tree["status"].Has("containerStatuses")) return false;
  const std::vector<HostPort> ports = HostPortsOf(tree);
  if (ports.empty()) return false;
  return std::ranges::any_of(cluster_.pods.OnNode(pod.node), [&](const std::string& key) {
    const PodInfo* other = cluster_.pods.Find(key);
    if (key == pod.key() || other == nullptr || other->has_ended()) return false;
    const TreePtr present = other->object->tree();
    return (*present)["status"].Has("containerStatuses") && DoClash(ports, HostPortsOf(*present));
  });
}

std::optional<Duration> SimulatedPods::TurnDown(const PodInfo& pod, Json tree) {
  Json& status = tree.Make("status");
  status.Set("phase", "Failed");
  status.Set("reason", "NodePorts");
  status.Set("message", "Pod was rejected: " + std::string(kPortsTaken));
  status.SetDefault("startTime", Json::String(FormatTime(cluster_.objects.now())));
  if (GenerationOf(tree) > 0) status.Set("observedGeneration", Json::Int(GenerationOf(tree)));
  std::vector<Notice> notices;
  notices.push_back({.type = "Warning", .reason = "NodePorts", .message = std::string(kPortsTaken)});
  return Write(pod, std::move(tree), std::move(notices), std::nullopt);
}

std::string SimulatedPods::LackingHandler(const Json& tree, const Host& host) const {
  const std::string& name = tree["spec"]["runtimeClassName"].text();
  if (name.empty() || host.handlers.empty()) return {};
  const ObjectPtr runtime_class = cluster_.store().Find(runtime_classes_, "", name);
  if (runtime_class == nullptr) return {};
  const std::string handler = (*runtime_class->tree())["handler"].text();
  return std::ranges::find(host.handlers, handler) == host.handlers.end() ? handler : std::string();
}

void SimulatedPods::Start(const PodInfo& pod, const Json& tree, Duration start_after, const Host& host, PodTurn& turn) {
  const Json& status = tree["status"];
  if (!status.Has("containerStatuses")) {
    turn.Admit(host.address);
  } else if (HasNews(tree)) {
    turn.Observe();
  }
  const std::optional<Time> bound = BoundAt(tree);
  if (bound && !turn.IsDue(*bound + start_after)) return;
  if (status["podIP"].text().empty()) {
    if (const std::string handler = LackingHandler(tree, host); !handler.empty()) return turn.LackHandler(handler);
    const bool shares_address = tree["spec"]["hostNetwork"].AsBool();
    turn.Start(shares_address ? host.address : addresses_.Take(pod.node, pod.key()));
  }
  turn.Advance();
}

std::optional<Duration> SimulatedPods::Resize(const PodInfo& pod, const Json& tree) {
  const Time now = cluster_.objects.now();
  std::vector<Notice> notices;
  const auto write = [&](Json resized) {
    SetKubeletConditions(resized, now);
    return Write(pod, std::move(resized), std::move(notices), Duration{});
  };
  Json resized = tree;
  if (!AwaitsResize(tree)) {
    ForgetResize(resized);
    deferred_[pod.node].erase(pod.key());
    return write(std::move(resized));
  }
  if (IsResizeGranted(tree)) {
    FinishResize(resized, now);
    notices.push_back({.type = "Normal", .reason = "ResizeCompleted", .message = ResizeMessage(tree, "completed")});
    return write(std::move(resized));
  }
  const ObjectPtr node = cluster_.store().Find(nodes_, "", pod.node);
  Amounts others;
  for (const std::string& key : cluster_.pods.OnNode(pod.node)) {
    const PodInfo* other = cluster_.pods.Find(key);
    if (key == pod.key() || other == nullptr || other->has_ended()) continue;
    AddAmounts(others, GrantedRequests(*other->object->tree()));
  }
  const NoRoom no_room = FindRoom((*node->tree())["status"]["allocatable"], others, WantedRequests(tree));
  if (no_room.reason.empty()) {
    deferred_[pod.node].erase(pod.key());
    GrantResize(resized, now);
    notices.push_back({.type = "Normal", .reason = "ResizeStarted", .message = ResizeMessage(tree, "started")});
    return write(std::move(resized));
  }
  deferred_[pod.node].insert(pod.key());
  DeferResize(resized, no_room.message, now);
  if (resized["status"]["conditions"] == tree["status"]["conditions"]) return std::nullopt;
  notices.push_back(
      {.type = "Warning", .reason = "ResizeDeferred", .message = ResizeMessage(tree, no_room.reason, no_room.message)});
  return write(std::move(resized));
}

void SimulatedPods::RetryResizes(std::string_view node, const Enqueue& enqueue) {
  const auto found = deferred_.find(node);
  if (found == deferred_.end()) return;
  if (found->second.empty()) {
    deferred_.erase(found);
    return;
  }
  std::vector<std::pair<std::string, Json>> waiting;
  for (const std::string& key : found->second) {
    if (const PodInfo* pod = cluster_.pods.Find(key)) waiting.emplace_back(key, pod->object->Tree());
  }
  std::ranges::stable_sort(waiting, IsServedBefore, &std::pair<std::string, Json>::second);
  for (auto& [key, tree] : waiting) enqueue(std::move(key), Duration{});
}

std::optional<Duration> SimulatedPods::Delete(const PodInfo& pod) {
  const ObjectPtr gone = pod.object;
  const TreePtr tree = gone->tree();
  const Json& metadata = (*tree)["metadata"];
  const PodScript script = ScriptOf(*gone, lives_);
  const Time now = cluster_.objects.now();
  const auto [deletion, is_new] = deletions_.try_emplace(gone->key(), now);
  const auto known = memories_.find(gone->key());
  PodMemory none;
  PodTurn turn(*tree, script, known == memories_.end() ? none : known->second, now, events_.HasRoom());
  if (is_new) turn.TellOfStop();

  const Time begin = deletion->second;
  const Time stopped = std::max(begin + script.terminate_after, turn.RunsTill());
  const Time killed = begin + Seconds(metadata["deletionGracePeriodSeconds"].IntOr(0));
  const bool has_time = lives_.termination == Duration{} && !pod.has_ended();
  const bool is_seen = pod.phase == PodInfo::Phase::kRunning && !IsPreempted(*tree);
  const Duration least = is_seen ? lives_.stop : Duration{};
  const bool is_due =
      turn.IsDue(has_time ? std::min(std::max(stopped, begin + least), killed) : begin + lives_.termination);
  // Nobody sees how a pod ends that goes in no time.
  if (has_time && (stopped > begin || metadata.Has("finalizers"))) {
    if (is_due) {
      turn.Stop(stopped > killed ? kKilledExitCode : stopped > begin ? 0 : kToldToEndExitCode);
    } else if (HasNews(*tree)) {
      turn.Observe();
    }
  }
  if (turn.has_changed()) return Write(pod, turn);
  events_.Tell(*gone, pod.node, turn.TakeNotices());
  if (!is_due) return turn.again();
  const auto deleted =
      cluster_.objects.Delete(pods_, gone->ns(), gone->name(), {.grace_seconds = 0, .uid = gone->uid()});
  return Succeeded(*this, deleted) ? std::nullopt : std::optional(kRetry);
}

std::optional<Duration> SimulatedPods::Write(const PodInfo& pod, PodTurn& turn) {
  return Write(pod, turn.Conclude(), turn.TakeNotices(), turn.again());
}

std::optional<Duration> SimulatedPods::Write(const PodInfo& pod, Json tree, std::vector<Notice> notices,
                                             std::optional<Duration> again) {
  const ObjectPtr object = pod.object;
  const std::string node = pod.node;
  const auto written =
      cluster_.objects.Update(pods_, object->ns(), object->name(), {.manager = "kubelet", .subresource = "status"},
                              [&](const Json&) -> Outcome<Json> { return std::move(tree); });
  if (!Succeeded(*this, written)) return kRetry;
  events_.Tell(*object, node, std::move(notices));
  return again;
}

}  // namespace berth::server
