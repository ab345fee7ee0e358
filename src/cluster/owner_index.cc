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

const Counts* OwnerIndex::Find(const PodInfo& pod) const { return owners_.Find(OwnerKey(pod)); }

void OwnerIndex::PodAdded(NodeSlot slot, const PodInfo& pod) {
  if (std::string key = OwnerKey(pod); !key.empty()) owners_[std::move(key)].Change(slot.index, 1);
}

void OwnerIndex::PodRemoved(NodeSlot slot, const PodInfo& pod) {
  const std::string key = OwnerKey(pod);
  if (key.empty()) return;
  Counts* owner = owners_.Edit(key);
  BERTH_ASSERT(owner != nullptr && owner->of(slot.index) > 0);
  owner->Change(slot.index, -1);
  if (owner->total() == 0) owners_.Erase(key);
}

}  // namespace berth::cluster
