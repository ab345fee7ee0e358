// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pods/taint_eviction.h"

#include <algorithm>

#include "server/controllers/event_report.h"
#include "server/controllers/owned_pods.h"
#include "server/controllers/tolerations.h"
#include "server/objects/pod_actions.h"

namespace berth::server {
namespace {

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
    if (change.type == Change::Type::kDeleted) {
      since_.erase(object.key());
      return;
    }
    if (tainted_.contains(object.Field("spec.nodeName"))) enqueue(object.key(), Duration{});
  }
}

std::optional<Duration> TaintEviction::Sync(const std::string& key) {
  const PodInfo* pod = cluster_.pods.Find(key);
  const ObjectPtr node = pod == nullptr ? nullptr : cluster_.store().Find(nodes_, "", pod->node);
  if (node == nullptr || pod->is_deleting || pod->has_ended()) {
    since_.erase(key);
    return std::nullopt;
  }
  const Json tree = pod->object->Tree();
  const Json node_tree = node->Tree();
  const std::optional<Duration> stay = MayStayFor(tree["spec"]["tolerations"], node_tree["spec"]["taints"]);
  if (!stay) {
    since_.erase(key);
    return std::nullopt;
  }
  const Time now = cluster_.objects.now();
  const Time due = since_.try_emplace(key, now).first->second + *stay;
  if (due > now) return due - now;
  return Evict(PodInfo(*pod)) ? std::nullopt : std::optional(kRetry);
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
  ReportEvent(cluster_, *pod.object, "taint-eviction-controller",
              {.type = "Normal", .reason = "TaintManagerEviction", .message = "Marking for deletion Pod " + pod.key()});
  return DeletePod(cluster_, pod);
}

}  // namespace berth::server
