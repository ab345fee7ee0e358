// SPDX-License-Identifier: Apache-2.0

#include "cluster/owner_index.h"

#include "base/assert.h"

namespace berth::cluster {
namespace {

// Empty if the pod has no controller. Manifests may leave the uid out.
std::string OwnerKey(const PodInfo& pod) {
  const api::OwnerReference& controller = pod.pod_template->controller;
  if (!controller.uid.empty()) return controller.uid;
  return controller.kind.empty() ? "" : controller.kind + "/" + pod.ns() + "/" + controller.name;
}

}  // namespace

const Placements* OwnerIndex::Find(const PodInfo& pod) const {
  const auto owner = owners_.find(OwnerKey(pod));
  return owner == owners_.end() ? nullptr : &owner->second;
}

void OwnerIndex::PodAdded(NodeSlot slot, const PodInfo& pod) {
  if (std::string key = OwnerKey(pod); !key.empty()) owners_[std::move(key)].Add(slot);
}

void OwnerIndex::PodRemoved(NodeSlot slot, const PodInfo& pod) {
  const std::string key = OwnerKey(pod);
  if (key.empty()) return;
  const auto owner = owners_.find(key);
  BERTH_ASSERT(owner != owners_.end());
  owner->second.Remove(slot);
  if (owner->second.empty()) owners_.erase(owner);
}

}  // namespace berth::cluster
