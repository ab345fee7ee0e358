// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pods/taint_eviction.h"

#include <algorithm>
#include <utility>

#include "server/controllers/event_report.h"
#include "server/controllers/owned_pods.h"
#include "server/controllers/tolerations.h"
#include "server/objects/pod_actions.h"

namespace berth::server {
namespace {

constexpr std::string_view kEvictionReporter = "taint-eviction-controller";
constexpr std::string_view kEvictionReason = "TaintManagerEviction";

bool HasNoExecute(const StoredObject& node) {
  const TreePtr tree = node.tree();
  return std::ranges::any_of((*tree)["spec"]["taints"].items(),
                             [](const Json& taint) { return taint["effect"].text() == "NoExecute"; });
}

}  // namespace

void TaintEviction::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &nodes_) {
    const bool had = tainted_.erase(object.key()) > 0;
    if (change.type == Change::Type::kDeleted) return;
    const bool has = HasNoExecute(object);
    if (has) tainted_.insert(object.key());
    if (!had && !has) return;
    for (const std::string& key : cluster_.pods.OnNode(object.name())) enqueue(key, Duration{});
  } else if (&object.resource() == &pods_) {
    if (change.type == Change::Type::kDeleted) return CallOff(object);
    if (tainted_.contains(object.Field("spec.nodeName"))) enqueue(object.key(), Duration{});
  }
}

std::optional<Duration> TaintEviction::Sync(const std::string& key) {
  const PodInfo* pod = cluster_.pods.Find(key);
  const ObjectPtr node = pod == nullptr ? nullptr : cluster_.store().Find(nodes_, "", pod->node);
  if (node == nullptr || pod->has_ended()) {
    since_.erase(key);
    return std::nullopt;
  }
  if (pod->is_deleting) return std::nullopt;
  const Json tree = pod->object->Tree();
  const Json node_tree = node->Tree();
  const std::optional<Duration> stay = MayStayFor(tree["spec"]["tolerations"], node_tree["spec"]["taints"]);
  if (!stay) {
    CallOff(*pod->object);
    return std::nullopt;
  }
  if (*stay == Duration{}) {
    CallOff(*pod->object);
    return Evict(PodInfo(*pod)) ? std::nullopt : std::optional(kRetry);
  }
  const Time now = cluster_.objects.now();
  const Time due = since_.try_emplace(key, now).first->second + *stay;
  if (due > now) return due - now;
  auto waited = since_.extract(key);  // What goes now is not called off.
  if (Evict(PodInfo(*pod))) return std::nullopt;
  since_.insert(std::move(waited));
  return kRetry;
}

void TaintEviction::CallOff(const StoredObject& pod) {
  if (since_.erase(pod.key()) == 0) return;
  ReportEvent(cluster_, pod, kEvictionReporter,
              {.type = "Normal", .reason = kEvictionReason, .message = "Cancelling deletion of Pod " + pod.key()});
}

bool TaintEviction::Evict(const PodInfo& pod) {
  Json tree = pod.object->Tree();
  SetPodCondition(tree,
                  Json{{"type", Json::String("DisruptionTarget")},
                       {"status", Json::String("True")},
                       {"reason", Json::String("DeletionByTaintManager")},
                       {"message", Json::String("Taint manager: deleting due to NoExecute taint")}},
                  cluster_.objects.now());
  cluster_.objects.Overwrite(*pod.object, std::move(tree), false);
  ReportEvent(cluster_, *pod.object, kEvictionReporter,
              {.type = "Normal", .reason = kEvictionReason, .message = "Marking for deletion Pod " + pod.key()});
  return DeletePod(cluster_, pod);
}

}  // namespace berth::server
