// SPDX-License-Identifier: Apache-2.0
// NodeTable: every node as one row, kept in columns.
//
// A filter or score reads one or a few columns for many nodes, so each column is a plain array indexed by NodeSlot.
// Rows exist for nodes with a Node object and for nodes known only through their pods (`has_node` is 0 there). The
// table keeps the accounting of the pods on each node; it knows nothing of the cluster as a whole.
//
// A copy of the table shares the pods of each row until one of the two changes it, and so does a row that is saved for
// a trial. Topology columns are made anew in a copy, when they are asked for.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/node.h"
#include "base/copy_on_write.h"
#include "cluster/pod_info.h"
#include "cluster/resources.h"
#include "cluster/tables/copy_on_write_rows.h"
#include "cluster/tables/ids.h"
#include "cluster/tables/interned_sets.h"
#include "cluster/tables/recent_values.h"
#include "cluster/tables/string_map.h"
#include "cluster/tables/table_size.h"
#include "cluster/topology.h"

namespace berth::cluster {

struct TaintsLess {
  bool operator()(const std::vector<api::Taint>& a, const std::vector<api::Taint>& b) const;
};
struct LabelsLess {
  bool operator()(const api::Labels& a, const api::Labels& b) const;
};
using TaintSets = InternedSets<std::vector<api::Taint>, TaintsLess>;
using NodeLabelSets = InternedSets<api::Labels, LabelsLess>;

// The label left out of node label sets, because it differs on every node.
inline constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";

// The taint and label set of rows without a Node object.
inline constexpr uint32_t kNoSet = ~uint32_t{0};

// A host port in use.
struct UsedPort {
  std::string ip;
  std::string protocol;
  int32_t port = 0;
  auto operator<=>(const UsedPort&) const = default;
};

// A scalar resource that pods on one node request.
struct RequestedScalar {
  ResourceNamePtr name;
  int64_t amount = 0;
  int32_t pods = 0;  // 0: some pod requested it once. As upstream has it, the name stays; but see kIdleScalarsMax.
};

// Names per row that no pod there requests any more. When there are more, they are forgotten.
inline constexpr size_t kIdleScalarsMax = 8;

// What the pods on one node add up to, apart from the numeric columns.
struct NodePods {
  std::vector<PodPtr> pods;  // Removal moves the last one into the gap, as upstream does.
  std::vector<PodPtr> with_affinity;
  std::vector<PodPtr> with_required_anti_affinity;
  std::vector<UsedPort> used_ports;                         // Sorted, unique.
  std::vector<std::pair<std::string, int32_t>> pvc_counts;  // "namespace/claim" to pods that use it; sorted.
  std::vector<RequestedScalar> requested_scalars;           // Sorted by id.
};

// One scalar resource as columns. There is one for each resource that some node lists; what only pods name is in the
// rows of their nodes.
struct ScalarColumn {
  ResourceNamePtr name;
  size_t row_count = 0;  // Rows that list it.
  std::vector<int64_t> allocatable;
  std::vector<int64_t> requested;        // As in the rows.
  std::vector<uint8_t> has_allocatable;  // The node lists it, be it with 0.
};

class NodeTable {
 public:
  // Rows, those without a Node object included.
  size_t row_count() const { return by_name_->size(); }
  // Size of every column: slots below it may be free.
  size_t slot_limit() const { return has_node.size(); }

  // The columns. Written by this class only; public so that loops read plain arrays.
  std::vector<std::string> name;
  std::vector<uint64_t> name_hash;                     // HashBytes of the name.
  std::vector<uint8_t> in_use;                         // The slot holds a row that is found by name.
  std::vector<uint8_t> has_node;                       // The row has a Node object.
  std::vector<std::shared_ptr<const api::Node>> node;  // Without images, which Cluster::images() has.
  std::vector<uint8_t> unschedulable;
  std::vector<int64_t> allocatable_cpu, allocatable_memory, allocatable_ephemeral, allocatable_pods;
  std::vector<int64_t> requested_cpu, requested_memory, requested_ephemeral, pod_count;
  std::vector<int64_t> nonzero_cpu, nonzero_memory;
  std::vector<uint32_t> taint_set;
  std::vector<uint32_t> label_set;  // Of the labels without kHostnameLabel.
  CopyOnWriteRows<NodePods> pods;

  // Rows with a Node object that are cordoned.
  size_t unschedulable_count() const { return unschedulable_count_; }
  const TaintSets& taint_sets() const { return taint_sets_; }
  const NodeLabelSets& label_sets() const { return label_sets_; }

  // How many changes of rows there were so far.
  uint64_t change_count() const { return change_count_; }
  // Calls `visit(slot)` for each change after the first `since` ones; a row may come up several times. Returns false,
  // without a call, when that is too long ago to tell.
  template <class Visit>
  bool VisitChanges(uint64_t since, Visit visit) const {
    if (change_count_ - since > kChangeLogSize) return false;
    for (uint64_t i = since; i < change_count_; ++i) {
      const NodeSlot slot = change_log_[i % kChangeLogSize];
      if (slot.index < slot_limit()) visit(slot);
    }
    return true;
  }

  // The row called `name`, if there is one.
  bool Find(std::string_view name, NodeSlot& slot) const;

  // The columns of a scalar resource; nullptr if no node lists it.
  const ScalarColumn* Scalar(ResourceId id) const;
  const std::map<ResourceId, ScalarColumn>& scalars() const { return scalars_; }
  // What the pods of a row request of a scalar resource, listed or not.
  int64_t Requested(NodeSlot slot, ResourceId id) const;

  // Whether some node has a label of this key.
  bool HasLabel(std::string_view key) const { return label_keys_.contains(key); }
  // The column of a topology key, made on first use.
  std::shared_ptr<const TopologyKey> Topology(std::string_view key) const;

  // Finds the row or makes an empty one.
  NodeSlot FindOrAdd(std::string_view name);
  void SetNode(NodeSlot slot, std::shared_ptr<const api::Node> node, ResourceNames& names);
  // Takes the Node object away. The row keeps its allocatable amounts until it is freed.
  void ClearNode(NodeSlot slot);
  // Frees a row. REQUIRES: no Node object, no pods.
  void Free(NodeSlot slot);

  // A row for a Node object that is not one of the cluster's: it has no pods and is not found by name.
  NodeSlot AddLoose(std::shared_ptr<const api::Node> node, ResourceNames& names);
  // The same without a Node object, for a node that has gone.
  NodeSlot AddLoose(std::string_view node_name) { return NewRow(node_name); }
  void FreeLoose(NodeSlot slot);

  void AddPod(NodeSlot slot, PodPtr pod);
  // False if the row has no pod with this uid.
  bool RemovePod(NodeSlot slot, const PodInfo& pod);

  // One row's accounting, to be put back after a trial (see framework::NodeTrial).
  struct SavedRow {
    CopyOnWrite<NodePods> pods;
    int64_t requested_cpu = 0, requested_memory = 0, requested_ephemeral = 0, pod_count = 0;
    int64_t nonzero_cpu = 0, nonzero_memory = 0;
  };
  SavedRow Save(NodeSlot slot) const;
  void Restore(NodeSlot slot, SavedRow saved);

  void AppendSizes(TableSizes& sizes) const;

 private:
  static constexpr uint64_t kChangeLogSize = 4096;
  static constexpr size_t kTopologiesMax = 128;

  NodeSlot NewRow(std::string_view name);
  void FreeRow(NodeSlot slot);
  void Resize(size_t size);
  void Trim();
  void Touch(NodeSlot slot) { change_log_[change_count_++ % kChangeLogSize] = slot; }
  ScalarColumn& MakeColumn(const ResourceNamePtr& name);
  void ReleaseNode(NodeSlot slot);
  void CountLabels(const api::Labels& labels, uint32_t set, int32_t sign);
  void CountLabel(std::string_view key, int32_t sign);
  void SetAllocatable(NodeSlot slot, const Resources& amounts);
  void Account(NodeSlot slot, const PodInfo& pod, int32_t sign);
  void AccountScalars(NodeSlot slot, const Resources& requests, int32_t sign);

  CopyOnWrite<StringMap<NodeSlot>> by_name_;
  std::set<NodeSlot> free_;  // The lowest is used first; the last row is never free.
  std::map<ResourceId, ScalarColumn> scalars_;
  TaintSets taint_sets_;
  NodeLabelSets label_sets_;
  StringMap<int32_t> label_keys_;  // Label sets with this key; for kHostnameLabel nodes.
  mutable RecentValues<TopologyKey> topologies_{kTopologiesMax};
  std::vector<NodeSlot> change_log_ = std::vector<NodeSlot>(kChangeLogSize);  // A ring.
  uint64_t change_count_ = 0;
  size_t unschedulable_count_ = 0;
};

}  // namespace berth::cluster
