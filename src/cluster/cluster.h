// SPDX-License-Identifier: Apache-2.0
// Cluster: the state decisions are made on: nodes, the pods on them (assumed ones included), nominated pods, other
// objects.
//
// Pods are known by uid. An assumed pod counts on its node from the decision until it is confirmed by AddPod, or given
// up by ForgetPod. Pods may arrive before their node and stay after it: such a node has a row but no Node object and is
// not in order().
//
// A copy is a cluster of its own that decides as this one does. The two share what neither has changed since, pods,
// rows, objects and indexes, and names and templates for good. What is kept to answer questions again (counters,
// topology columns) the copy makes anew when it is asked.
//
// Thread: core; copies are used by one thread at a time, together with the original. Plugins read it; only the
// scheduler changes it. Cost: a copy of 5,000 nodes with 150,000 pods takes about a millisecond and a megabyte. What is
// written while it is shared is copied once, in pieces of some hundred entries.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "base/copy_on_write.h"
#include "base/result.h"
#include "cluster/affinity_index.h"
#include "cluster/assumed_volumes.h"
#include "cluster/attachment_index.h"
#include "cluster/coscheduled_pods.h"
#include "cluster/devices/device_state.h"
#include "cluster/image_index.h"
#include "cluster/node_order.h"
#include "cluster/node_table.h"
#include "cluster/nominated_pods.h"
#include "cluster/owner_index.h"
#include "cluster/pod_catalog.h"
#include "cluster/pod_counter.h"
#include "cluster/pod_groups.h"
#include "cluster/tables/chunked_map.h"
#include "cluster/tables/object_store.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

class Cluster {
 public:
  explicit Cluster(PodResourceOptions options = {}, const DeviceOptions& device_options = {},
                   PodGroupOptions group_options = {})
      : devices(objects, device_options),
        groups(objects, group_options),
        interned_(std::make_shared<Interned>(options)) {}
  explicit Cluster(const Cluster& other);
  Cluster& operator=(const Cluster&) = delete;
  // Lets go of most of what it holds, piece by piece, and calls `pause` after each: a large cluster that is freed in
  // one piece takes some milliseconds. REQUIRES: it is freed next.
  void Dismantle(const std::function<void()>& pause);

  Objects objects;
  // Volumes and claims that are being bound, over those in `objects`.
  AssumedVolumes assumed_volumes{objects};
  AttachmentIndex attachments{objects};
  DeviceState devices;
  PodGroups groups;
  CoscheduledPods coscheduled;
  NominatedPods nominated;
  // Uids of pods and root groups for which victims are being evicted. They stay out of the queue until that has ended.
  boost::unordered_flat_set<std::string> running_preemptions;

  // Makes the shared form of an API pod; does not add it anywhere.
  PodPtr MakePod(api::Pod pod) { return interned_->catalog.Make(std::move(pod)); }

  void AddNode(api::Node node);
  void UpdateNode(const api::Node* old_node, api::Node node);
  Result<void> RemoveNode(const api::Node& node);

  // Pods on nodes. The errors are upstream's texts.
  Result<void> AddPod(PodPtr pod);
  Result<void> UpdatePod(const PodInfo& old_pod, PodPtr pod);
  Result<void> RemovePod(const PodInfo& pod);
  Result<void> AssumePod(PodPtr pod);
  Result<void> ForgetPod(const PodInfo& pod);

  bool IsAssumed(const std::string& uid) const;
  // The pod on a node under this uid, or nullptr.
  PodPtr FindPod(const std::string& uid) const;
  size_t pod_count() const { return pods_.size(); }
  size_t assumed_count() const { return assumed_count_; }
  // Uids, sorted.
  std::vector<std::string> assumed_uids() const;

  const NodeTable& nodes() const { return nodes_; }
  // For trials on one row (framework::NodeTrial); everything else goes through the calls above.
  NodeTable& mutable_nodes() { return nodes_; }

  // Nodes with a Node object, round robin over zones. As upstream has it, the order is made anew only when this call
  // finds that nodes have come or gone since the last one: a node that changed its zone keeps its place until then. So
  // this is for decisions; whoever only looks uses node_order().
  const std::vector<NodeSlot>& order() const;
  const NodeOrder& node_order() const { return order_; }

  const ImageIndex& images() const { return images_; }
  const AffinityIndex& affinity() const { return affinity_; }
  const OwnerIndex& owners() const { return owners_; }
  const ResourceNames& resource_names() const { return interned_->names; }
  ResourceNames& mutable_resource_names() { return interned_->names; }

  // How many pods on each node match `query`; see PodCounters.
  std::shared_ptr<const PodCounter> CountPods(const PodQuery& query) const { return counters_.Get(query, nodes_); }

  // How many pods on nodes have each priority that one of them has (spec.priority, or else 0).
  const ChunkedMap<int32_t, size_t>& pod_priorities() const { return pod_priorities_; }

  // How often pods on nodes with a Node object use the claim "namespace/name".
  int32_t ClaimUsers(std::string_view claim) const;

  // The labels of a namespace; empty labels if it is not known.
  const api::Labels& NamespaceLabels(std::string_view ns) const;

  // How much each table holds: none may keep what pods and nodes have named once and name no more.
  TableSizes Sizes() const;

 private:
  struct PodState {
    PodPtr pod;
    bool assumed = false;
  };
  // What is kept once for all copies.
  struct Interned {
    explicit Interned(PodResourceOptions options) : catalog(names, options) {}
    ResourceNames names;
    PodCatalog catalog;
  };
  // The row, if it has a Node object.
  std::optional<NodeSlot> FindNode(std::string_view name) const;
  void SetNode(NodeSlot slot, api::Node node);
  void PutOnNode(PodPtr pod, bool assumed);
  // The pod is gone, or forgotten: then it is pending.
  void TakeFromNode(const PodInfo& stored, bool is_forgotten = false);
  void FreeIfUnused(NodeSlot slot);
  void CountClaims(NodeSlot slot, const PodInfo& pod, int32_t sign);
  void CountClaims(NodeSlot slot, int32_t sign);
  void CountClaim(const std::string& claim, int32_t change);

  std::shared_ptr<Interned> interned_;
  NodeTable nodes_;
  NodeOrder order_;
  ImageIndex images_;
  AffinityIndex affinity_;
  OwnerIndex owners_;
  mutable PodCounters counters_;
  // By the uid, which the pod itself holds.
  ShardedMap<boost::unordered_flat_map<std::string_view, PodState>> pods_;
  size_t assumed_count_ = 0;
  ChunkedMap<int32_t, size_t> pod_priorities_;
  ShardedMap<StringMap<int32_t>> claim_users_;  // Of pods on nodes with a Node object.
  mutable CopyOnWrite<StringSet> listed_;       // The nodes that the last order() knew.
  mutable CopyOnWrite<std::vector<std::string>> order_names_;
  mutable std::vector<NodeSlot> order_slots_;
  mutable bool order_is_current_ = false;  // Since the last order() no node has come or gone.
};

}  // namespace berth::cluster
