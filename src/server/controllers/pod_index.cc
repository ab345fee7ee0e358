// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pod_index.h"

namespace berth::server {
namespace {

const PodIndex::Keys kNone;

PodInfo::Phase PhaseOf(std::string_view phase) {
  if (phase == "Running") return PodInfo::Phase::kRunning;
  if (phase == "Succeeded") return PodInfo::Phase::kSucceeded;
  return phase == "Failed" ? PodInfo::Phase::kFailed : PodInfo::Phase::kPending;
}

PodInfo Read(const ObjectPtr& pod) {
  const Json tree = pod->Tree();
  const Json& metadata = tree["metadata"];
  PodInfo info{.object = pod,
               .owner_uid = {},
               .owner_kind = {},
               .owner_name = {},
               .node = tree["spec"]["nodeName"].text(),
               .phase = PhaseOf(tree["status"]["phase"].text()),
               .is_deleting = metadata.Has("deletionTimestamp")};
  for (const Json& owner : metadata["ownerReferences"].items()) {
    if (!owner["controller"].AsBool()) continue;
    info.owner_uid = owner["uid"].text();
    info.owner_kind = owner["kind"].text();
    info.owner_name = owner["name"].text();
  }
  for (const Json& condition : tree["status"]["conditions"].items()) {
    if (condition["type"].text() == "Ready") info.is_ready = condition["status"].text() == "True";
  }
  return info;
}

}  // namespace

void PodIndex::Put(const ObjectPtr& pod) {
  Remove(*pod);
  PodInfo info = Read(pod);
  by_owner_[info.owner_uid].insert(pod->key());
  if (!info.node.empty()) by_node_[info.node].insert(pod->key());
  pods_.emplace(pod->key(), std::move(info));
}

void PodIndex::Remove(const StoredObject& pod) {
  const auto found = pods_.find(pod.key());
  if (found == pods_.end()) return;
  Leave(by_owner_, found->second.owner_uid, pod.key());
  Leave(by_node_, found->second.node, pod.key());
  pods_.erase(found);
}

const PodInfo* PodIndex::Find(std::string_view key) const {
  const auto found = pods_.find(key);
  return found == pods_.end() ? nullptr : &found->second;
}

const PodIndex::Keys& PodIndex::OfOwner(std::string_view uid) const { return Find(by_owner_, uid); }

const PodIndex::Keys& PodIndex::OnNode(std::string_view node) const { return Find(by_node_, node); }

void PodIndex::Leave(Groups& groups, const std::string& group, const std::string& key) {
  const auto found = groups.find(group);
  if (found == groups.end()) return;
  found->second.erase(key);
  if (found->second.empty()) groups.erase(found);
}

const PodIndex::Keys& PodIndex::Find(const Groups& groups, std::string_view group) {
  const auto found = groups.find(group);
  return found == groups.end() ? kNone : found->second;
}

}  // namespace berth::server
