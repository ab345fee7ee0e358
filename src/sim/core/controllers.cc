// SPDX-License-Identifier: Apache-2.0
#include "sim/core/controllers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "plugins/helpers/volume_claims.h"

namespace berth::sim {
namespace {

constexpr std::string_view kZone = "topology.kubernetes.io/zone";

api::NodeSelector InZone(std::string zone) {
  api::NodeSelectorTerm term;
  term.match_expressions.push_back({std::string(kZone), "In", {std::move(zone)}});
  return {.terms = {std::move(term)}};
}

}  // namespace

Controllers::Controllers(runtime::Agenda& agenda, Dice& dice, ApiModel& server)
    : agenda_(agenda), dice_(dice), server_(server) {
  server.set_on_write([this](const api::Object& object) { Written(object); });
  server.set_on_removal([this](const api::Object& object) { Removed(object); });
}

void Controllers::Written(const api::Object& object) {
  const std::string ns = api::MetaOf(object).ns;
  const std::string name = api::MetaOf(object).name;
  if (const auto* pod = std::get_if<api::Pod>(&object)) {
    if (pod->meta.deletion_timestamp) {
      Later(Seconds(8), [=, this, uid = pod->meta.uid] { EndGrace(ns, name, uid); });
    } else if (pod->node_name.empty() && pod->spec.scheduler_name == "foreign") {
      Later(Seconds(10), [=, this] { BindForeign(ns, name); });
    } else if (!pod->node_name.empty() && server_.Find<api::Node>("", pod->node_name) == nullptr) {
      Later(Seconds(20), [this, node = pod->node_name] { CollectFrom(node); });
    }
  } else if (const auto* volume = std::get_if<api::PersistentVolume>(&object)) {
    if (volume->claim_ref && volume->phase != "Bound") Later(Seconds(5), [=, this] { BindClaim(name); });
  } else if (const auto* claim = std::get_if<api::PersistentVolumeClaim>(&object)) {
    if (claim->volume_name.empty()) Later(Seconds(5), [=, this] { SettleClaim(ns, name); });
  } else if (const auto* devices = std::get_if<api::ResourceClaim>(&object)) {
    if (devices->allocation) Later(Seconds(5), [=, this] { SettleResourceClaim(ns, name); });
    const api::OwnerReference* owner = devices->meta.controller();
    if (owner != nullptr && !HasPod(owner->uid)) RemoveOwned(owner->uid);
  }
}

void Controllers::Removed(const api::Object& object) {
  if (const auto* node = std::get_if<api::Node>(&object)) {
    Later(Seconds(20), [this, name = node->meta.name] { CollectFrom(name); });
    return;
  }
  const auto* pod = std::get_if<api::Pod>(&object);
  if (pod == nullptr) return;
  for (const api::PodResourceClaim& claim : pod->spec.resource_claims) {
    Later(Seconds(5), [this, ns = pod->meta.ns, name = *claim.claim_name] { SettleResourceClaim(ns, name); });
  }
  RemoveOwned(pod->meta.uid);
  if (pod->meta.controller() == nullptr) return;
  api::Pod next = *pod;
  next.meta.name = pod->meta.controller()->name + "-r" + std::to_string(++made_);
  next.meta.uid.clear();
  next.meta.creation_timestamp.reset();
  next.meta.deletion_timestamp.reset();
  next.node_name.clear();
  next.status = {};
  Later(Seconds(4), [this, next] { server_.Write(next); });
}

bool Controllers::HasPod(const std::string& uid) const {
  return std::ranges::any_of(server_.objects(), [&](const auto& entry) {
    const auto* pod = std::get_if<api::Pod>(&entry.second);
    return pod != nullptr && pod->meta.uid == uid;
  });
}

void Controllers::RemoveOwned(const std::string& pod_uid) {
  Later(Seconds(5), [this, uid = pod_uid] {
    std::vector<std::string> owned;
    for (const auto& [key, object] : server_.objects()) {
      const auto* claim = std::get_if<api::ResourceClaim>(&object);
      if (claim == nullptr || claim->meta.controller() == nullptr) continue;
      if (claim->meta.controller()->uid == uid) owned.push_back(key);
    }
    for (const std::string& key : owned) server_.Remove(key);
  });
}

void Controllers::EndGrace(const std::string& ns, const std::string& name, const std::string& uid) {
  const api::Pod* pod = server_.Find<api::Pod>(ns, name);
  if (pod != nullptr && pod->meta.uid == uid) server_.DeletePod(ns, name, false);
}

void Controllers::BindForeign(const std::string& ns, const std::string& name) {
  std::vector<std::string> nodes;
  for (const auto& [key, object] : server_.objects()) {
    if (std::holds_alternative<api::Node>(object)) nodes.push_back(api::MetaOf(object).name);
  }
  const api::Pod* pod = server_.Find<api::Pod>(ns, name);
  if (nodes.empty() || pod == nullptr || !pod->node_name.empty() || pod->meta.deletion_timestamp) return;
  if (pod->spec.scheduler_name != "foreign") return;  // Another pod has the name by now.
  server_.Update<api::Pod>(ns, name, [&](api::Pod& bound) { bound.node_name = dice_.Pick(nodes); });
}

void Controllers::CollectFrom(const std::string& node_name) {
  if (server_.Find<api::Node>("", node_name) != nullptr) return;
  std::vector<std::pair<std::string, std::string>> orphans;
  for (const auto& [key, object] : server_.objects()) {
    const auto* pod = std::get_if<api::Pod>(&object);
    if (pod != nullptr && pod->node_name == node_name) orphans.emplace_back(pod->meta.ns, pod->meta.name);
  }
  for (const auto& [ns, name] : orphans) server_.DeletePod(ns, name, false);
}

void Controllers::SettleClaim(const std::string& ns, const std::string& name) {
  const api::PersistentVolumeClaim* claim = server_.Find<api::PersistentVolumeClaim>(ns, name);
  if (claim == nullptr || !claim->volume_name.empty() || claim->meta.deletion_timestamp) return;
  const api::StorageClass* storage_class = server_.Find<api::StorageClass>("", claim->storage_class_name.value_or(""));
  if (storage_class == nullptr) return;
  const bool waits = storage_class->volume_binding_mode == plugins::kWaitForFirstConsumer;
  if (waits && !claim->meta.annotations.Has(plugins::kSelectedNodeAnnotation)) return;
  if (storage_class->provisioner == "kubernetes.io/no-provisioner") return;
  Provision(*claim);
}

void Controllers::Provision(const api::PersistentVolumeClaim& claim) {
  const std::string ns = claim.meta.ns;
  const std::string name = claim.meta.name;
  const std::string node_name(claim.meta.annotations.Get(plugins::kSelectedNodeAnnotation));
  const api::Node* node = server_.Find<api::Node>("", node_name);
  if (!node_name.empty() &&
      (node == nullptr || dice_.Percent(10))) {  // It gives up, and the scheduler has to choose again.
    server_.Update<api::PersistentVolumeClaim>(ns, name, [](api::PersistentVolumeClaim& other) {
      other.meta.annotations.Remove(plugins::kSelectedNodeAnnotation);
      other.meta.annotations.Set("gave-up", "yes");
    });
    return;
  }
  api::PersistentVolume volume;
  volume.meta.name = "pvc-" + claim.meta.uid;
  if (server_.Find<api::PersistentVolume>("", volume.meta.name) != nullptr) return;
  volume.capacity = claim.requests;
  volume.access_modes = claim.access_modes;
  volume.storage_class_name = claim.storage_class_name.value_or("");
  volume.claim_ref = api::ObjectReference{"PersistentVolumeClaim", "v1", ns, name, claim.meta.uid, ""};
  if (node != nullptr && node->meta.labels.Has(kZone))
    volume.node_affinity = InZone(std::string(node->meta.labels.Get(kZone)));
  server_.Write(std::move(volume));
}

void Controllers::BindClaim(const std::string& volume_name) {
  const api::PersistentVolume* volume = server_.Find<api::PersistentVolume>("", volume_name);
  if (volume == nullptr || !volume->claim_ref || volume->phase == "Bound") return;
  const api::ObjectReference wanted = *volume->claim_ref;
  const auto* claim = server_.Find<api::PersistentVolumeClaim>(wanted.ns, wanted.name);
  if (claim == nullptr || claim->meta.uid != wanted.uid || !claim->volume_name.empty()) return;
  server_.Update<api::PersistentVolume>("", volume_name, [](api::PersistentVolume& bound) { bound.phase = "Bound"; });
  server_.Update<api::PersistentVolumeClaim>(wanted.ns, wanted.name, [&](api::PersistentVolumeClaim& bound) {
    bound.volume_name = volume_name;
    bound.phase = "Bound";
    bound.meta.annotations.Set(std::string(plugins::kBindCompletedAnnotation), "yes");
  });
}

bool Controllers::IsInUse(const std::string& ns, const api::ResourceClaimConsumer& consumer) const {
  if (consumer.resource == "pods") {
    const api::Pod* pod = server_.Find<api::Pod>(ns, consumer.name);
    return pod != nullptr && pod->meta.uid == consumer.uid && !pod->is_terminal();
  }
  const api::PodGroup* group = server_.Find<api::PodGroup>(ns, consumer.name);
  if (group == nullptr || group->meta.uid != consumer.uid) return false;
  return std::ranges::any_of(server_.objects(), [&](const auto& entry) {
    const auto* pod = std::get_if<api::Pod>(&entry.second);
    return pod != nullptr && pod->spec.scheduling_group == consumer.name && !pod->is_terminal();
  });
}

void Controllers::SettleResourceClaim(const std::string& ns, const std::string& name) {
  const api::ResourceClaim* found = server_.Find<api::ResourceClaim>(ns, name);
  if (found == nullptr || !found->allocation) return;
  api::ResourceClaim claim = *found;
  std::erase_if(claim.reserved_for, [&](const auto& consumer) { return !IsInUse(ns, consumer); });
  if (claim.reserved_for.empty()) claim.allocation.reset();
  if (claim == *found) return;
  claim.status = claim.allocation ? "in use" : "";
  server_.Write(std::move(claim));
}

}  // namespace berth::sim
