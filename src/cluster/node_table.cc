// SPDX-License-Identifier: Apache-2.0

#include "cluster/node_table.h"

#include <algorithm>

#include "base/assert.h"

namespace berth::cluster {
namespace {

bool HasPodAffinity(const api::PodSpec& spec) {
  return spec.affinity && (spec.affinity->pod_affinity || spec.affinity->pod_anti_affinity);
}

bool HasRequiredAntiAffinity(const api::PodSpec& spec) {
  return spec.affinity && spec.affinity->pod_anti_affinity && !spec.affinity->pod_anti_affinity->required.empty();
}

// Moves the last pod into the gap; returns what was there, or nullptr.
PodPtr TakeOut(std::vector<PodPtr>& pods, const std::string& uid) {
  const auto it = std::ranges::find_if(pods, [&](const PodPtr& pod) { return pod->uid == uid; });
  if (it == pods.end()) return nullptr;
  PodPtr taken = std::move(*it);
  if (it != pods.end() - 1) *it = std::move(pods.back());
  pods.pop_back();
  return taken;
}

// A port in use twice is free after the first of its pods has gone: upstream keeps a set, and no count.
void SetPorts(std::vector<UsedPort>& used, const PodTemplate& pod_template, bool in_use) {
  for (const api::HostPort& port : pod_template.host_ports) {
    UsedPort entry{.ip = port.ip, .protocol = port.protocol, .port = port.port};
    const auto it = std::ranges::lower_bound(used, entry);
    const bool found = it != used.end() && *it == entry;
    if (in_use && !found) used.insert(it, std::move(entry));
    if (!in_use && found) used.erase(it);
  }
}

void CountClaims(std::vector<std::pair<std::string, int32_t>>& counts, const PodTemplate& pod_template, int32_t sign) {
  for (const api::Volume& volume : pod_template.spec.volumes) {
    if (volume.source != api::Volume::Source::kPersistentVolumeClaim) continue;
    const std::string claim = pod_template.ns + "/" + volume.id;
    auto it = std::ranges::lower_bound(counts, claim, {}, &std::pair<std::string, int32_t>::first);
    if (it == counts.end() || it->first != claim) it = counts.emplace(it, claim, 0);
    it->second += sign;
    if (it->second <= 0) counts.erase(it);
  }
}

auto TaintKey(const api::Taint& taint) { return std::tie(taint.key, taint.value, taint.effect); }

}  // namespace

bool TaintsLess::operator()(const std::vector<api::Taint>& a, const std::vector<api::Taint>& b) const {
  return std::ranges::lexicographical_compare(
      a, b, [](const api::Taint& x, const api::Taint& y) { return TaintKey(x) < TaintKey(y); });
}

bool LabelsLess::operator()(const api::Labels& a, const api::Labels& b) const {
  return std::ranges::lexicographical_compare(a, b);
}

bool NodeTable::Find(std::string_view node_name, NodeSlot& slot) const {
  const auto it = by_name_.find(node_name);
  if (it == by_name_.end()) return false;
  slot = it->second;
  return true;
}

const ScalarColumn* NodeTable::Scalar(ResourceId id) const {
  if (id.index >= scalars_.size() || scalars_[id.index].requested.empty()) return nullptr;
  return &scalars_[id.index];
}

const TopologyKey& NodeTable::Topology(std::string_view key) const {
  for (const auto& topology : topologies_) {
    if (topology->key() == key) return *topology;
  }
  TopologyKey& added = *topologies_.emplace_back(std::make_unique<TopologyKey>(std::string(key)));
  for (uint32_t i = 0; i < slot_limit(); ++i) {
    if (has_node[i] != 0) added.Set(NodeSlot{i}, node[i]->meta.labels.Find(key));
  }
  return added;
}

NodeSlot NodeTable::FindOrAdd(std::string_view node_name) {
  NodeSlot slot;
  if (Find(node_name, slot)) return slot;
  slot = NewRow(node_name);
  in_use[slot.index] = 1;
  by_name_.emplace(node_name, slot);
  return slot;
}

NodeSlot NodeTable::NewRow(std::string_view node_name) {
  NodeSlot slot;
  if (free_.empty()) {
    slot.index = static_cast<uint32_t>(slot_limit());
    Grow();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  name[slot.index] = node_name;
  Touch(slot);
  return slot;
}

void NodeTable::SetNode(NodeSlot slot, std::shared_ptr<const api::Node> new_node, ResourceNames& names) {
  const uint32_t i = slot.index;
  const uint32_t taints = taint_sets_.Acquire(new_node->taints);
  api::Labels labels = new_node->meta.labels;
  labels.Remove(kHostnameLabel);
  const uint32_t label_id = label_sets_.Acquire(labels);
  if (has_node[i] != 0) ReleaseNode(slot);
  taint_set[i] = taints;
  label_set[i] = label_id;
  has_node[i] = 1;
  unschedulable[i] = new_node->unschedulable ? 1 : 0;
  unschedulable_count_ += unschedulable[i];
  SetAllocatable(slot, ToResources(new_node->allocatable, names));
  for (const auto& topology : topologies_) topology->Set(slot, new_node->meta.labels.Find(topology->key()));
  node[i] = std::move(new_node);
  Touch(slot);
}

void NodeTable::ClearNode(NodeSlot slot) {
  const uint32_t i = slot.index;
  if (has_node[i] == 0) return;
  ReleaseNode(slot);
  has_node[i] = 0;
  unschedulable[i] = 0;
  node[i].reset();
  for (const auto& topology : topologies_) topology->Set(slot, nullptr);
  Touch(slot);
}

void NodeTable::ReleaseNode(NodeSlot slot) {
  const uint32_t i = slot.index;
  taint_sets_.Release(taint_set[i]);
  label_sets_.Release(label_set[i]);
  taint_set[i] = kNoSet;
  label_set[i] = kNoSet;
  unschedulable_count_ -= unschedulable[i];
}

void NodeTable::Free(NodeSlot slot) {
  const uint32_t i = slot.index;
  BERTH_ASSERT(in_use[i] != 0 && has_node[i] == 0 && pods[i].pods.empty());
  by_name_.erase(name[i]);
  FreeRow(slot);
}

NodeSlot NodeTable::AddLoose(std::shared_ptr<const api::Node> loose, ResourceNames& names) {
  const NodeSlot slot = NewRow(loose->meta.name);
  SetNode(slot, std::move(loose), names);
  return slot;
}

void NodeTable::FreeLoose(NodeSlot slot) {
  ClearNode(slot);
  FreeRow(slot);
}

void NodeTable::FreeRow(NodeSlot slot) {
  const uint32_t i = slot.index;
  name[i].clear();
  in_use[i] = 0;
  SetAllocatable(slot, {});
  requested_cpu[i] = requested_memory[i] = requested_ephemeral[i] = pod_count[i] = 0;
  nonzero_cpu[i] = nonzero_memory[i] = 0;
  pods[i] = {};
  for (ScalarColumn& column : scalars_) {
    if (!column.requested.empty()) column.requested[i] = column.has_requested[i] = 0;
  }
  Touch(slot);
  free_.push_back(slot);
}

void NodeTable::AddPod(NodeSlot slot, PodPtr pod) {
  NodePods& row = pods[slot.index];
  Account(slot, *pod, 1);
  SetPorts(row.used_ports, *pod->pod_template, true);
  CountClaims(row.pvc_counts, *pod->pod_template, 1);
  if (HasPodAffinity(pod->spec())) row.with_affinity.push_back(pod);
  if (HasRequiredAntiAffinity(pod->spec())) row.with_required_anti_affinity.push_back(pod);
  row.pods.push_back(std::move(pod));
  Touch(slot);
}

bool NodeTable::RemovePod(NodeSlot slot, const PodInfo& pod) {
  NodePods& row = pods[slot.index];
  const PodPtr removed = TakeOut(row.pods, pod.uid);
  if (removed == nullptr) return false;
  if (HasPodAffinity(removed->spec())) TakeOut(row.with_affinity, removed->uid);
  if (HasRequiredAntiAffinity(removed->spec())) TakeOut(row.with_required_anti_affinity, removed->uid);
  Account(slot, *removed, -1);
  SetPorts(row.used_ports, *removed->pod_template, false);
  CountClaims(row.pvc_counts, *removed->pod_template, -1);
  Touch(slot);
  return true;
}

NodeTable::SavedRow NodeTable::Save(NodeSlot slot) const {
  const uint32_t i = slot.index;
  SavedRow saved{.pods = pods[i],
                 .requested_cpu = requested_cpu[i],
                 .requested_memory = requested_memory[i],
                 .requested_ephemeral = requested_ephemeral[i],
                 .pod_count = pod_count[i],
                 .nonzero_cpu = nonzero_cpu[i],
                 .nonzero_memory = nonzero_memory[i],
                 .scalars = {}};
  saved.scalars.resize(scalars_.size());
  for (size_t s = 0; s < scalars_.size(); ++s) {
    const ScalarColumn& column = scalars_[s];
    if (!column.requested.empty()) saved.scalars[s] = {column.requested[i], column.has_requested[i]};
  }
  return saved;
}

void NodeTable::Restore(NodeSlot slot, SavedRow saved) {
  const uint32_t i = slot.index;
  pods[i] = std::move(saved.pods);
  requested_cpu[i] = saved.requested_cpu;
  requested_memory[i] = saved.requested_memory;
  requested_ephemeral[i] = saved.requested_ephemeral;
  pod_count[i] = saved.pod_count;
  nonzero_cpu[i] = saved.nonzero_cpu;
  nonzero_memory[i] = saved.nonzero_memory;
  Touch(slot);
  saved.scalars.resize(scalars_.size());  // Columns that the trial has added were unused before.
  for (size_t s = 0; s < scalars_.size(); ++s) {
    if (scalars_[s].requested.empty()) continue;
    std::tie(scalars_[s].requested[i], scalars_[s].has_requested[i]) = saved.scalars[s];
  }
}

void NodeTable::Grow() {
  const size_t size = slot_limit() + 1;
  name.resize(size);
  in_use.resize(size);
  has_node.resize(size);
  node.resize(size);
  unschedulable.resize(size);
  for (std::vector<int64_t>* column :
       {&allocatable_cpu, &allocatable_memory, &allocatable_ephemeral, &allocatable_pods, &requested_cpu,
        &requested_memory, &requested_ephemeral, &pod_count, &nonzero_cpu, &nonzero_memory}) {
    column->resize(size);
  }
  taint_set.resize(size, kNoSet);
  label_set.resize(size, kNoSet);
  pods.resize(size);
  for (ScalarColumn& column : scalars_) {
    if (!column.requested.empty()) column.Resize(size);
  }
}

void NodeTable::SetAllocatable(NodeSlot slot, const Resources& amounts) {
  const uint32_t i = slot.index;
  allocatable_cpu[i] = amounts.cpu_milli;
  allocatable_memory[i] = amounts.memory_bytes;
  allocatable_ephemeral[i] = amounts.ephemeral_bytes;
  allocatable_pods[i] = amounts.pods;
  for (ScalarColumn& column : scalars_) {
    if (!column.requested.empty()) column.allocatable[i] = column.has_allocatable[i] = 0;
  }
  for (const auto& [id, amount] : amounts.scalars) {
    ScalarColumn& column = MutableScalar(id);
    column.allocatable[i] = amount;
    column.has_allocatable[i] = 1;
  }
}

ScalarColumn& NodeTable::MutableScalar(ResourceId id) {
  if (id.index >= scalars_.size()) scalars_.resize(id.index + 1);
  ScalarColumn& column = scalars_[id.index];
  if (column.requested.empty()) column.Resize(slot_limit());
  return column;
}

void NodeTable::Account(NodeSlot slot, const PodInfo& pod, int64_t sign) {
  const uint32_t i = slot.index;
  const Resources& requests = pod.requests();
  const auto add = [sign](int64_t& total, int64_t amount) {
    total = WrapAdd(total, sign > 0 ? amount : WrapAdd(~amount, 1));
  };
  add(requested_cpu[i], requests.cpu_milli);
  add(requested_memory[i], requests.memory_bytes);
  add(requested_ephemeral[i], requests.ephemeral_bytes);
  add(nonzero_cpu[i], pod.nonzero_cpu_milli());
  add(nonzero_memory[i], pod.nonzero_memory_bytes());
  pod_count[i] += sign;
  for (const auto& [id, amount] : requests.scalars) {
    ScalarColumn& column = MutableScalar(id);
    add(column.requested[i], amount);
    column.has_requested[i] = 1;
  }
}

}  // namespace berth::cluster
