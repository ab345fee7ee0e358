// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "plugins/helpers/volume_claims.h"

namespace berth::simulate {
namespace {

constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

bool IsReserved(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  if (!volume.claim_ref) return false;
  const api::ObjectReference& reference = *volume.claim_ref;
  return reference.ns == claim.meta.ns && reference.name == claim.meta.name &&
         (reference.uid.empty() || reference.uid == claim.meta.uid);
}

std::string_view Mode(const std::string& written) { return written.empty() ? "Filesystem" : std::string_view(written); }

bool Suits(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim,
           const api::Selector& selector) {
  if (volume.claim_ref || volume.phase != "Available" || volume.meta.deletion_timestamp) return false;
  if (plugins::StorageClassName(volume) != plugins::StorageClassName(claim)) return false;
  if (Mode(volume.volume_mode) != Mode(claim.volume_mode) || !selector.Matches(volume.meta.labels)) return false;
  if (plugins::StorageAmount(volume.capacity).Cmp(plugins::StorageAmount(claim.requests)) < 0) return false;
  return std::ranges::all_of(claim.access_modes, [&](const std::string& mode) {
    return std::ranges::find(volume.access_modes, mode) != volume.access_modes.end();
  });
}

bool HasProvisioner(const api::StorageClass& storage_class) {
  return !storage_class.provisioner.empty() && storage_class.provisioner != kNoProvisioner;
}

api::SelectorRequirement OneOf(std::string key, std::vector<std::string> values) {
  return {.key = std::move(key), .op = "In", .values = std::move(values)};
}

}  // namespace

void VolumeController::Store(api::PersistentVolume volume) {
  volume.meta.resource_version = std::to_string(++version_);
  put_(std::move(volume));
}

void VolumeController::Store(api::PersistentVolumeClaim claim) {
  claim.meta.resource_version = std::to_string(++version_);
  put_(std::move(claim));
}

VolumeBinding VolumeController::Bind(api::PersistentVolume volume, api::PersistentVolumeClaim claim) {
  VolumeBinding binding{.claim = api::FullName(claim.meta), .volume = volume.meta.name};
  volume.claim_ref = api::ObjectReference{.kind = "PersistentVolumeClaim",
                                          .api_version = "v1",
                                          .ns = claim.meta.ns,
                                          .name = claim.meta.name,
                                          .uid = claim.meta.uid,
                                          .resource_version = {}};
  volume.phase = "Bound";
  claim.volume_name = volume.meta.name;
  claim.meta.annotations.Set(std::string(plugins::kBindCompletedAnnotation), "yes");
  claim.phase = "Bound";
  Store(std::move(volume));
  Store(std::move(claim));
  return binding;
}

// The volume that is reserved for the claim, or else the smallest that suits; of equal ones the first by name.
const api::PersistentVolume* VolumeController::FindVolume(const api::PersistentVolumeClaim& claim,
                                                          bool reserved_only) const {
  const api::PersistentVolume* best = nullptr;
  const Result<api::Selector> selector =
      claim.selector ? api::Selector::Compile(claim.selector) : api::Selector::Everything();
  for (const auto& [key, volume] : objects().persistent_volumes.all()) {
    if (IsReserved(*volume, claim)) return volume.get();
    if (reserved_only || !selector || !Suits(*volume, claim, *selector)) continue;
    const bool is_smaller =
        best == nullptr || plugins::StorageAmount(volume->capacity).Cmp(plugins::StorageAmount(best->capacity)) < 0;
    if (is_smaller) best = volume.get();
  }
  return best;
}

const api::Node* VolumeController::FindNode(std::string_view name) const {
  const cluster::NodeTable& nodes = cluster_.nodes();
  cluster::NodeSlot slot;
  if (!nodes.Find(name, slot) || nodes.has_node[slot.index] == 0) return nullptr;
  return nodes.node[slot.index].get();
}

// From where a new volume can be used; absent: from everywhere.
std::optional<api::NodeSelector> VolumeController::Reach(const api::StorageClass& storage_class,
                                                         const api::Node* node) const {
  api::NodeSelector selector;
  if (node == nullptr) {
    for (const api::StorageClass::TopologyTerm& allowed : storage_class.allowed_topologies) {
      api::NodeSelectorTerm& term = selector.terms.emplace_back();
      for (const auto& [key, values] : allowed.requirements) term.match_expressions.push_back(OneOf(key, values));
    }
  } else if (const api::CsiNode* csi = objects().csi_nodes.Find("", node->meta.name)) {
    api::NodeSelectorTerm term;
    for (const api::CsiNode::Driver& driver : csi->drivers) {
      if (driver.name != storage_class.provisioner) continue;
      for (const std::string& key : driver.topology_keys) {
        if (const std::string* value = node->meta.labels.Find(key))
          term.match_expressions.push_back(OneOf(key, {*value}));
      }
    }
    if (!term.match_expressions.empty()) selector.terms.push_back(std::move(term));
  }
  return selector.terms.empty() ? std::nullopt : std::optional(std::move(selector));
}

VolumeBinding VolumeController::Provision(const api::PersistentVolumeClaim& claim,
                                          const api::StorageClass& storage_class, const api::Node* node) {
  api::PersistentVolume volume;
  volume.meta.name = "pvc-" + claim.meta.uid;
  volume.meta.uid = "pv-" + claim.meta.uid;
  volume.capacity = claim.requests;
  volume.access_modes = claim.access_modes;
  volume.storage_class_name = storage_class.meta.name;
  volume.volume_mode = claim.volume_mode;
  volume.volume_attributes_class_name = claim.volume_attributes_class_name;
  volume.node_affinity = Reach(storage_class, node);
  volume.source.source = api::Volume::Source::kCsi;
  volume.source.id = storage_class.provisioner;
  volume.csi_driver = storage_class.provisioner;
  volume.csi_handle = volume.meta.name;
  VolumeBinding binding = Bind(std::move(volume), claim);
  binding.is_new = true;
  return binding;
}

std::string VolumeController::Settle(const api::PersistentVolumeClaim& claim) {
  if (plugins::IsFullyBound(claim)) return {};
  const std::string name = api::FullName(claim.meta);
  if (!claim.volume_name.empty()) {
    const api::PersistentVolume* volume = objects().persistent_volumes.Find("", claim.volume_name);
    if (volume == nullptr) return fmt::format("claim {}: volume {} does not exist", name, claim.volume_name);
    if (volume->claim_ref && !IsReserved(*volume, claim)) {
      return fmt::format("claim {}: volume {} belongs to claim {}/{}", name, claim.volume_name, volume->claim_ref->ns,
                         volume->claim_ref->name);
    }
    Bind(*volume, claim);
    return {};
  }
  const std::string_view class_name = plugins::StorageClassName(claim);
  const api::StorageClass* storage_class = objects().storage_classes.Find("", class_name);
  const bool waits =
      storage_class != nullptr && storage_class->volume_binding_mode.value_or("") == plugins::kWaitForFirstConsumer;
  const std::string* selected = claim.meta.annotations.Find(plugins::kSelectedNodeAnnotation);
  if (const api::PersistentVolume* volume = FindVolume(claim, waits)) {
    return fmt::format("claim {}: bound to volume {}", name, Bind(*volume, claim).volume);
  }
  if (waits && selected == nullptr) return {};
  if (storage_class == nullptr || !HasProvisioner(*storage_class)) {
    return fmt::format("claim {}: stays unbound, no volume matches and {}", name,
                       storage_class != nullptr ? fmt::format("class {} has no provisioner", class_name)
                       : class_name.empty()     ? "it has no storage class"
                                                : fmt::format("storage class {} does not exist", class_name));
  }
  const VolumeBinding made = Provision(claim, *storage_class, selected == nullptr ? nullptr : FindNode(*selected));
  return fmt::format("claim {}: volume {} provisioned by {}", name, made.volume, storage_class->provisioner);
}

std::vector<std::string> VolumeController::SettleAll() {
  std::vector<std::shared_ptr<const api::PersistentVolumeClaim>> claims;
  for (const auto& [key, claim] : objects().persistent_volume_claims.all()) claims.push_back(claim);
  std::vector<std::string> notes;
  for (const auto& claim : claims) {
    if (std::string note = Settle(*claim); !note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

VolumeBinding VolumeController::Carry(const framework::UpdatePersistentVolume& update) {
  const api::ObjectReference& reference = *update.volume.claim_ref;
  const api::PersistentVolumeClaim* claim = objects().persistent_volume_claims.Find(reference.ns, reference.name);
  if (claim != nullptr) return Bind(update.volume, *claim);
  Store(update.volume);
  return {};
}

VolumeBinding VolumeController::Carry(const framework::UpdatePersistentVolumeClaim& update) {
  const api::StorageClass* storage_class = objects().storage_classes.Find("", plugins::StorageClassName(update.claim));
  const std::string_view node = update.claim.meta.annotations.Get(plugins::kSelectedNodeAnnotation);
  if (storage_class != nullptr) return Provision(update.claim, *storage_class, FindNode(node));
  Store(update.claim);
  return {};
}

}  // namespace berth::simulate
