// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/cleanup/pod_collector.h"

#include <vector>

#include "server/objects/pod_actions.h"

namespace berth::server {
namespace {

// How long a node may stay away.
constexpr Duration kQuarantine = Seconds(40);
// How long it may take until a pod says that it has ended, or is gone, from its deletion on.
constexpr Duration kEnds = Seconds(1);
constexpr Duration kUnboundEnds = Seconds(20);
const std::string kEnded = "ended:";
const std::string kHeld = "held:";

}  // namespace

void PodCollector::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  const bool is_deletion = change.type == Change::Type::kDeleted;
  if (&object.resource() == &nodes_ && is_deletion) {
    if (!is_whole_) gone_.insert(object.key());
    enqueue(object.key(), kSettle);
  }
  if (&object.resource() != &pods_ || is_deletion) return;
  if (!keeps_ended_) {
    const PodInfo* pod = cluster_.pods.Find(object.key());
    if (pod != nullptr && pod->has_ended() && pod->owner_uid.empty()) enqueue(kEnded + object.key(), Duration{});
  }
  const std::string_view node = object.Field("spec.nodeName");
  if (object.is_being_deleted() && (node.empty() || cluster_.pods.Find(object.key())->is_tracked)) {
    enqueue(kHeld + object.key(), node.empty() ? kUnboundEnds : kEnds);
  }
  if (node.empty() || cluster_.store().Find(nodes_, "", node) != nullptr) return;
  if (is_whole_ || gone_.contains(node)) enqueue(std::string(node), kQuarantine);
}

std::optional<Duration> PodCollector::Sync(const std::string& key) {
  if (key.starts_with(kEnded)) {
    const PodInfo* pod = cluster_.pods.Find(key.substr(kEnded.size()));
    return pod == nullptr || Remove(PodInfo(*pod)) ? std::nullopt : std::optional(kRetry);
  }
  if (key.starts_with(kHeld)) {
    const PodInfo* pod = cluster_.pods.Find(key.substr(kHeld.size()));
    if (pod != nullptr) FailIfHeld(*pod);
    return std::nullopt;
  }
  if (cluster_.store().Find(nodes_, "", key) != nullptr) return std::nullopt;
  std::vector<PodInfo> pods;
  for (const std::string& pod : cluster_.pods.OnNode(key)) {
    if (pods.size() == kBatch) break;
    pods.push_back(*cluster_.pods.Find(pod));
  }
  for (const PodInfo& pod : pods) {
    if (!Remove(pod)) return kRetry;
  }
  return pods.size() == kBatch ? std::optional(Duration{}) : std::nullopt;
}

void PodCollector::FailIfHeld(const PodInfo& pod) {
  const ObjectPtr object = pod.object;
  Json tree = object->Tree();
  // Kubelets ask for no more grace when the containers have ended.
  const bool has_grace = tree["metadata"]["deletionGracePeriodSeconds"].IntOr(0) > 0;
  if (!pod.is_deleting || pod.has_ended() || (has_grace && !pod.node.empty())) return;
  tree.Make("status").Set("phase", "Failed");
  cluster_.objects.Overwrite(*object, std::move(tree), false);
}

bool PodCollector::Remove(const PodInfo& pod) {
  if (!pod.has_ended()) {
    Json tree = pod.object->Tree();
    tree.Make("status").Set("phase", "Failed");
    SetPodCondition(tree,
                    Json{{"type", Json::String("DisruptionTarget")},
                         {"status", Json::String("True")},
                         {"reason", Json::String("DeletionByPodGC")},
                         {"message", Json::String("PodGC: node no longer exists")}},
                    cluster_.objects.now());
    cluster_.objects.Overwrite(*pod.object, std::move(tree), false);
  }
  const StoredObject& object = *pod.object;
  return Succeeded(
      *this, cluster_.objects.Delete(pods_, object.ns(), object.name(), {.grace_seconds = 0, .uid = object.uid()}));
}

}  // namespace berth::server
