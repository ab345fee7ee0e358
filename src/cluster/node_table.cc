// SPDX-License-Identifier: Apache-2.0

#include "cluster/node_table.h"

#include <algorithm>

#include "base/assert.h"
#include "base/hash.h"

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

auto FindScalar(auto& scalars, ResourceId id) {
  return std::ranges::lower_bound(scalars, id, {}, [](const RequestedScalar& scalar) { return scalar.name->id; });
}

// Adds to or takes from a total, as `sign` says.
void Change(int64_t& total, int64_t amount, int32_t sign) {
  total = sign > 0 ? WrapAdd(total, amount) : WrapSub(total, amount);
}

void DropIdle(std::vector<RequestedScalar>& scalars) {
  const auto is_idle = [](const RequestedScalar& scalar) { return scalar.pods == 0; };
  if (static_cast<size_t>(std::ranges::count_if(scalars, is_idle)) > kIdleScalarsMax) std::erase_if(scalars, is_idle);
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
  const auto it = by_name_->find(node_name);
  if (it == by_name_->end()) return false;
  slot = it->second;
  return true;
}

const ScalarColumn* NodeTable::Scalar(ResourceId id) const {
  const auto it = scalars_.find(id);
  return it == scalars_.end() ? nullptr : &it->second;
}

int64_t NodeTable::Requested(NodeSlot slot, ResourceId id) const {
  const std::vector<RequestedScalar>& scalars = pods[slot.index].requested_scalars;
  const auto it = FindScalar(scalars, id);
  return it != scalars.end() && it->name->id == id ? it->amount : 0;
}

std::shared_ptr<const TopologyKey> NodeTable::Topology(std::string_view key) const {
  if (!HasLabel(key)) return std::make_shared<TopologyKey>(std::string(key));
  return topologies_.Get(key, [&] {
    auto made = std::make_shared<TopologyKey>(std::string(key));
    for (uint32_t i = 0; i < slot_limit(); ++i) {
      if (has_node[i] != 0) made->Set(NodeSlot{i}, node[i]->meta.labels.Find(key));
    }
    return made;
  });
}

NodeSlot NodeTable::FindOrAdd(std::string_view node_name) {
  NodeSlot slot;
  if (Find(node_name, slot)) return slot;
  slot = NewRow(node_name);
  in_use[slot.index] = 1;
  by_name_.Edit().emplace(node_name, slot);
  return slot;
}

NodeSlot NodeTable::NewRow(std::string_view node_name) {
  NodeSlot slot;
  if (free_.empty()) {
    slot.index = static_cast<uint32_t>(slot_limit());
    Resize(slot_limit() + 1);
  } else {
    slot = *free_.begin();
    free_.erase(free_.begin());
  }
  name[slot.index] = node_name;
  name_hash[slot.index] = HashBytes(node_name);
  Touch(slot);
  return slot;
}

void NodeTable::SetNode(NodeSlot slot, std::shared_ptr<const api::Node> new_node, ResourceNames& names) {
  const uint32_t i = slot.index;
  const uint32_t taints = taint_sets_.Acquire(new_node->taints);
  api::Labels labels = new_node->meta.labels;
  labels.Remove(kHostnameLabel);
  const uint32_t label_id = label_sets_.Acquire(labels);
  CountLabels(new_node->meta.labels, label_id, 1);
  if (has_node[i] != 0) ReleaseNode(slot);
  taint_set[i] = taints;
  label_set[i] = label_id;
  has_node[i] = 1;
  unschedulable[i] = new_node->unschedulable ? 1 : 0;
  unschedulable_count_ += unschedulable[i];
  SetAllocatable(slot, ToResources(new_node->allocatable, names));
  topologies_.ForEach([&](TopologyKey& topology) { topology.Set(slot, new_node->meta.labels.Find(topology.key())); });
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
  topologies_.ForEach([&](TopologyKey& topology) { topology.Set(slot, nullptr); });
  Touch(slot);
}

void NodeTable::ReleaseNode(NodeSlot slot) {
  const uint32_t i = slot.index;
  CountLabels(node[i]->meta.labels, label_set[i], -1);
  taint_sets_.Release(taint_set[i]);
  label_sets_.Release(label_set[i]);
  taint_set[i] = kNoSet;
  label_set[i] = kNoSet;
  unschedulable_count_ -= unschedulable[i];
}

// Counts the labels of a node whose set of labels is counted in label_sets_.
void NodeTable::CountLabels(const api::Labels& labels, uint32_t set, int32_t sign) {
  if (labels.Has(kHostnameLabel)) CountLabel(kHostnameLabel, sign);
  if (label_sets_.count(set) > 1) return;  // Other nodes have counted it.
  for (const auto& [key, value] : *label_sets_.value(set)) CountLabel(key, sign);
}

void NodeTable::CountLabel(std::string_view key, int32_t sign) {
  const auto it = label_keys_.try_emplace(std::string(key), 0).first;
  it->second += sign;
  if (it->second == 0) label_keys_.erase(it);
}

void NodeTable::Free(NodeSlot slot) {
  const uint32_t i = slot.index;
  BERTH_ASSERT(in_use[i] != 0 && has_node[i] == 0 && pods[i].pods.empty());
  by_name_.Edit().erase(name[i]);
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
  pods.Clear(i);
  Touch(slot);
  free_.insert(slot);
  Trim();
}

void NodeTable::AddPod(NodeSlot slot, PodPtr pod) {
  NodePods& row = pods.Edit(slot.index);
  Account(slot, *pod, 1);
  SetPorts(row.used_ports, *pod->pod_template, true);
  CountClaims(row.pvc_counts, *pod->pod_template, 1);
  if (HasPodAffinity(pod->spec())) row.with_affinity.push_back(pod);
  if (HasRequiredAntiAffinity(pod->spec())) row.with_required_anti_affinity.push_back(pod);
  row.pods.push_back(std::move(pod));
  Touch(slot);
}

bool NodeTable::RemovePod(NodeSlot slot, const PodInfo& pod) {
  NodePods& row = pods.Edit(slot.index);
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
  return SavedRow{.pods = pods.Save(i),
                  .requested_cpu = requested_cpu[i],
                  .requested_memory = requested_memory[i],
                  .requested_ephemeral = requested_ephemeral[i],
                  .pod_count = pod_count[i],
                  .nonzero_cpu = nonzero_cpu[i],
                  .nonzero_memory = nonzero_memory[i]};
}

void NodeTable::Restore(NodeSlot slot, SavedRow saved) {
  const uint32_t i = slot.index;
  pods.Restore(i, std::move(saved.pods));
  requested_cpu[i] = saved.requested_cpu;
  requested_memory[i] = saved.requested_memory;
  requested_ephemeral[i] = saved.requested_ephemeral;
  pod_count[i] = saved.pod_count;
  nonzero_cpu[i] = saved.nonzero_cpu;
  nonzero_memory[i] = saved.nonzero_memory;
  Touch(slot);
  for (auto& [id, column] : scalars_) column.requested[i] = Requested(slot, id);
}

void NodeTable::Resize(size_t size) {
  const auto resize = [size](auto& column, const auto& value) {
    column.resize(size, value);
    if (size < column.capacity() / 4) column.shrink_to_fit();
  };
  resize(name, std::string());
  resize(name_hash, uint64_t{0});
  resize(node, std::shared_ptr<const api::Node>());
  pods.Resize(size);
  for (std::vector<uint8_t>* column : {&in_use, &has_node, &unschedulable}) resize(*column, uint8_t{0});
  for (std::vector<int64_t>* column :
       {&allocatable_cpu, &allocatable_memory, &allocatable_ephemeral, &allocatable_pods, &requested_cpu,
        &requested_memory, &requested_ephemeral, &pod_count, &nonzero_cpu, &nonzero_memory}) {
    resize(*column, int64_t{0});
  }
  for (std::vector<uint32_t>* column : {&taint_set, &label_set}) resize(*column, kNoSet);
  for (auto& [id, column] : scalars_) {
    resize(column.allocatable, int64_t{0});
    resize(column.requested, int64_t{0});
    resize(column.has_allocatable, uint8_t{0});
  }
}

// Takes free rows off the end, so that rows of nodes that only pods named do not stay.
void NodeTable::Trim() {
  size_t size = slot_limit();
  while (!free_.empty() && free_.rbegin()->index + 1 == size) {
    free_.erase(std::prev(free_.end()));
    --size;
  }
  if (size != slot_limit()) Resize(size);
}

void NodeTable::SetAllocatable(NodeSlot slot, const Resources& amounts) {
  const uint32_t i = slot.index;
  allocatable_cpu[i] = amounts.cpu_milli;
  allocatable_memory[i] = amounts.memory_bytes;
  allocatable_ephemeral[i] = amounts.ephemeral_bytes;
  allocatable_pods[i] = amounts.pods;
  for (const auto& [resource, amount] : amounts.scalars) {
    ScalarColumn& column = MakeColumn(resource);
    column.row_count += column.has_allocatable[i] == 0 ? 1 : 0;
    column.allocatable[i] = amount;
    column.has_allocatable[i] = 1;
  }
  for (auto it = scalars_.begin(); it != scalars_.end();) {
    ScalarColumn& column = it->second;
    if (column.has_allocatable[i] != 0 && !amounts.HasScalar(it->first)) {
      column.allocatable[i] = column.has_allocatable[i] = 0;
      --column.row_count;
    }
    it = column.row_count == 0 ? scalars_.erase(it) : std::next(it);
  }
}

ScalarColumn& NodeTable::MakeColumn(const ResourceNamePtr& resource) {
  const auto [it, is_new] = scalars_.try_emplace(resource->id);
  ScalarColumn& column = it->second;
  if (!is_new) return column;
  column.name = resource;
  column.allocatable.resize(slot_limit());
  column.has_allocatable.resize(slot_limit());
  for (uint32_t i = 0; i < slot_limit(); ++i) column.requested.push_back(Requested(NodeSlot{i}, resource->id));
  return column;
}

void NodeTable::Account(NodeSlot slot, const PodInfo& pod, int32_t sign) {
  const uint32_t i = slot.index;
  const Resources& requests = pod.requests();
  Change(requested_cpu[i], requests.cpu_milli, sign);
  Change(requested_memory[i], requests.memory_bytes, sign);
  Change(requested_ephemeral[i], requests.ephemeral_bytes, sign);
  Change(nonzero_cpu[i], pod.nonzero_cpu_milli(), sign);
  Change(nonzero_memory[i], pod.nonzero_memory_bytes(), sign);
  pod_count[i] += sign;
  if (!requests.scalars.empty()) AccountScalars(slot, requests, sign);
}

void NodeTable::AccountScalars(NodeSlot slot, const Resources& requests, int32_t sign) {
  std::vector<RequestedScalar>& scalars = pods.Edit(slot.index).requested_scalars;
  for (const auto& [resource, amount] : requests.scalars) {
    auto it = FindScalar(scalars, resource->id);
    if (it == scalars.end() || it->name != resource) it = scalars.insert(it, {.name = resource});
    Change(it->amount, amount, sign);
    it->pods += sign;
    const auto column = scalars_.find(resource->id);
    if (column != scalars_.end()) column->second.requested[slot.index] = it->amount;
  }
  DropIdle(scalars);
}

void NodeTable::AppendSizes(TableSizes& sizes) const {
  size_t scalars = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < pods.size(); ++i) scalars += pods[i].requested_scalars.size();
  topologies_.ForEach([&](const TopologyKey& topology) { bytes += topology.bytes(); });
  sizes.insert(sizes.end(), {{"rows", row_count()},
                             {"row slots", slot_limit()},
                             {"taint sets", taint_sets_.size()},
                             {"node label sets", label_sets_.size()},
                             {"node label keys", label_keys_.size()},
                             {"resource columns", scalars_.size()},
                             {"resources requested in rows", scalars},
                             {"topology keys", topologies_.size()},
                             {"topology bytes", bytes}});
}

}  // namespace berth::cluster
