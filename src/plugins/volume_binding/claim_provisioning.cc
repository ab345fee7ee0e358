// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/claim_provisioning.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "plugins/helpers/volume_claims.h"

namespace berth::plugins {
namespace {

constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

const api::StorageClass& ClassOf(const api::PersistentVolumeClaim& claim, const cluster::Objects& objects) {
  return *objects.storage_classes.Find("", StorageClassName(claim));
}

bool LooksAtHostname(const api::StorageClass& storage_class) {
  return std::ranges::any_of(storage_class.allowed_topologies, [](const api::StorageClass::TopologyTerm& term) {
    return std::ranges::any_of(term.requirements, [](const auto& r) { return r.key == cluster::kHostnameLabel; });
  });
}

// The largest volume that can be made from the capacity.
const std::optional<api::Quantity>& LargestVolume(const api::CsiStorageCapacity& capacity) {
  return capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
}

}  // namespace

ClaimProvisioning::ClaimProvisioning(const api::PersistentVolumeClaim& claim, const cluster::Cluster& cluster)
    : nodes_(cluster.nodes()), allowed_(cluster.nodes(), LooksAtHostname(ClassOf(claim, cluster.objects))) {
  const api::StorageClass& storage_class = ClassOf(claim, cluster.objects);
  has_provisioner_ = !storage_class.provisioner.empty() && storage_class.provisioner != kNoProvisioner;
  if (!has_provisioner_) return;
  ReadTopologies(storage_class);
  ReadCapacities(claim, storage_class, cluster.objects);
}

// Terms that are empty or do not compile allow nothing.
void ClaimProvisioning::ReadTopologies(const api::StorageClass& storage_class) {
  allows_all_topologies_ = storage_class.allowed_topologies.empty();
  for (const api::StorageClass::TopologyTerm& term : storage_class.allowed_topologies) {
    if (term.requirements.empty()) continue;
    api::LabelSelector written;
    for (const auto& requirement : term.requirements) {
      written.match_expressions.push_back({.key = requirement.key, .op = "In", .values = requirement.values});
    }
    Result<api::Selector> compiled = api::Selector::Compile(written);
    if (compiled) topologies_.push_back(std::move(*compiled));
  }
}

void ClaimProvisioning::ReadCapacities(const api::PersistentVolumeClaim& claim, const api::StorageClass& storage_class,
                                       const cluster::Objects& objects) {
  const api::Quantity* requested = claim.requests.Find(kStorageResource);
  const api::CsiDriver* driver = objects.csi_drivers.Find("", storage_class.provisioner);
  checks_capacity_ = requested != nullptr && driver != nullptr && driver->storage_capacity.value_or(false);
  if (!checks_capacity_) return;
  const int64_t size = requested->Value();
  for (const auto& [key, capacity] : objects.csi_storage_capacities.all()) {
    if (capacity->storage_class_name != storage_class.meta.name || !capacity->node_topology) continue;
    const std::optional<api::Quantity>& largest = LargestVolume(*capacity);
    if (!largest || largest->Value() < size) continue;
    Result<api::Selector> nodes = api::Selector::Compile(capacity->node_topology);
    if (!nodes) continue;
    index_.Add(static_cast<uint32_t>(capacities_.size()), *nodes);
    capacities_.push_back({capacity, std::move(*nodes)});
  }
}

bool ClaimProvisioning::AllowsTopology(const api::Labels& labels) const {
  return std::ranges::any_of(topologies_, [&](const api::Selector& term) { return term.Matches(labels); });
}

ClaimProvisioning::Outcome ClaimProvisioning::Check(cluster::NodeSlot node) {
  if (!has_provisioner_) return {};
  const bool allowed =
      allows_all_topologies_ ||
      allowed_.Get(node, [this](const api::Labels& labels, std::string_view) { return AllowsTopology(labels); });
  if (!allowed) return {};
  if (!checks_capacity_) return {.answer = Answer::kPossible};
  const api::Labels& labels = nodes_.node[node.index]->meta.labels;
  const auto found =
      index_.First(labels, [&](LabelIndex::Item item) { return capacities_[item].nodes.Matches(labels); });
  if (!found) return {.answer = Answer::kNoSpace};
  return {.answer = Answer::kPossible, .capacity = capacities_[*found].capacity.get()};
}

}  // namespace berth::plugins
