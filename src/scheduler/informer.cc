// SPDX-License-Identifier: Apache-2.0
// How the scheduler takes in objects that were added, changed or removed.

#include "base/overloaded.h"
#include "scheduler/scheduler.h"

namespace berth::scheduler {
void Scheduler::Put(api::Object object) {
  std::visit(
      Overloaded{
          [&](api::Pod& pod) { PutPod(std::move(pod)); },
          [&](api::Node& node) { PutNode(std::move(node)); },
          [&](auto& other) { cluster_->objects.Put(std::move(other)); },
      },
      object);
}

void Scheduler::PutNode(api::Node node) {
  NodeSlot slot;
  const bool known = cluster_->nodes().Find(node.meta.name, slot) && cluster_->nodes().has_node[slot.index];
  if (!known) return cluster_->AddNode(std::move(node));
  const std::shared_ptr<const api::Node> old_node = cluster_->nodes().node[slot.index];
  cluster_->UpdateNode(old_node.get(), std::move(node));
}

void Scheduler::PutPod(api::Pod pod) {
  if (pod.is_terminal()) return RemovePod(pod.meta.ns, pod.meta.name);
  const cluster::PodPtr info = cluster_->MakePod(std::move(pod));
  const std::string key = info->full_name();
  const auto placed = placed_.find(key);
  if (placed != placed_.end() && (placed->second->uid != info->uid || info->node_name.empty())) {
    RemovePod(info->ns(), info->name);  // A pod of the same name that was created anew.
  }
  if (info->node_name.empty()) {
    if (cluster_->IsAssumed(info->uid)) return;
    pending_[key] = info;
    if (ProfileOf(*info) != nullptr) cluster_->nominated.Set(info, info->nominated_node_name);
    return;
  }
  pending_.erase(key);
  cluster_->nominated.Remove(info->uid);
  cluster::PodPtr& entry = placed_[key];
  // Neither call can fail: placed_ says whether the cluster has the pod, and a pod never changes its node.
  if (entry == nullptr) {
    (void)cluster_->AddPod(info);
  } else {
    (void)cluster_->UpdatePod(*entry, info);
  }
  entry = info;
}

void Scheduler::RemovePod(std::string_view ns, std::string_view name) {
  const std::string key = std::string(ns) + "/" + std::string(name);
  if (const auto it = pending_.find(key); it != pending_.end()) {
    cluster_->nominated.Remove(it->second->uid);
    pending_.erase(it);
  }
  if (const auto it = placed_.find(key); it != placed_.end()) {
    (void)cluster_->RemovePod(*it->second);
    placed_.erase(it);
  }
}

void Scheduler::Remove(std::string_view kind, std::string_view ns, std::string_view name) {
  if (kind == "Pod") return RemovePod(ns, name);
  if (kind == "Node") {
    NodeSlot slot;
    if (!cluster_->nodes().Find(name, slot) || !cluster_->nodes().has_node[slot.index]) return;
    const std::shared_ptr<const api::Node> node = cluster_->nodes().node[slot.index];
    (void)cluster_->RemoveNode(*node);
    return;
  }
  cluster_->objects.Erase(kind, ns, name);
}

}  // namespace berth::scheduler
