// SPDX-License-Identifier: Apache-2.0

#include "cluster/cluster.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"

namespace berth::cluster {
namespace {

// A pod as upstream's error texts name it.
std::string Name(const PodInfo& pod) {
  return fmt::format("pod {}({})", pod.uid, pod.ns().empty() ? pod.name : pod.full_name());
}

Result<void> CheckUid(const PodInfo& pod) {
  if (pod.uid.empty()) return Invalid("cannot get cache key for pod with empty UID");
  return {};
}

std::unexpected<Error> Conflict(std::string message) { return Fail(Code::kConflict, std::move(message)); }

}  // namespace

Cluster::Cluster(const Cluster& other)
    : objects(other.objects),
      assumed_volumes(objects, other.assumed_volumes),
      attachments(objects, other.attachments),
      devices(objects, other.devices),
      groups(objects, other.groups),
      coscheduled(other.coscheduled),
      nominated(other.nominated),
      running_preemptions(other.running_preemptions),
      interned_(other.interned_),
      nodes_(other.nodes_),
      order_(other.order_),
      images_(other.images_),
      affinity_(other.affinity_),
      owners_(other.owners_),
      counters_(other.counters_),
      pods_(other.pods_),
      assumed_count_(other.assumed_count_),
      pod_priorities_(other.pod_priorities_),
      claim_users_(other.claim_users_),
      listed_(other.listed_),
      order_names_(other.order_names_),
      order_slots_(other.order_slots_),
      order_is_current_(other.order_is_current_) {}

void Cluster::Dismantle(const std::function<void()>& pause) {
  pods_.Clear(pause);
  for (uint32_t slot = 0; slot < nodes_.slot_limit(); ++slot) {
    nodes_.pods.Clear(slot);
    pause();
  }
}

void Cluster::AddNode(api::Node node) {
  const NodeSlot slot = nodes_.FindOrAdd(node.meta.name);
  order_.Add(node);
  SetNode(slot, std::move(node));
}

void Cluster::UpdateNode(const api::Node* old_node, api::Node node) {
  NodeSlot slot;
  if (!nodes_.Find(node.meta.name, slot)) {
    slot = nodes_.FindOrAdd(node.meta.name);
    order_.Add(node);
  }
  order_.Update(old_node, node);
  SetNode(slot, std::move(node));
}

void Cluster::SetNode(NodeSlot slot, api::Node node) {
  if (nodes_.has_node[slot.index] == 0) {
    CountClaims(slot, 1);
    order_is_current_ = false;
  }
  images_.Set(slot, std::exchange(node.images, {}));
  nodes_.SetNode(slot, std::make_shared<const api::Node>(std::move(node)), interned_->names);
}

Result<void> Cluster::RemoveNode(const api::Node& node) {
  NodeSlot slot;
  if (!nodes_.Find(node.meta.name, slot)) {
    return Fail(Code::kNotFound, fmt::format("node {} is not found", node.meta.name));
  }
  if (nodes_.has_node[slot.index] != 0) CountClaims(slot, -1);
  order_is_current_ = false;
  nodes_.ClearNode(slot);
  const bool was_in_order = order_.Remove(node);
  if (was_in_order) images_.Remove(slot);
  FreeIfUnused(slot);
  if (!was_in_order) {
    return Fail(Code::kNotFound,
                fmt::format("node \"{}\" in group \"{}\" was not found", node.meta.name, ZoneKey(node.meta.labels)));
  }
  return {};
}

Result<void> Cluster::AddPod(PodPtr pod) {
  BERTH_CHECK_OK(CheckUid(*pod));
  if (const PodState* known = pods_.Find(pod->uid)) {
    if (!known->assumed) return Conflict(Name(*pod) + " was already in added state");
    // Confirmed, perhaps on another node than it was assumed on: what is reported counts.
    TakeFromNode(*known->pod);
  }
  PutOnNode(std::move(pod), false);
  return {};
}

Result<void> Cluster::UpdatePod(const PodInfo& old_pod, PodPtr pod) {
  BERTH_CHECK_OK(CheckUid(old_pod));
  BERTH_CHECK_OK(CheckUid(*pod));
  const PodState* known = pods_.Find(old_pod.uid);
  if (known == nullptr) {
    return Fail(Code::kNotFound, Name(old_pod) + " is not added to scheduler cache, so cannot be updated");
  }
  if (known->assumed) return Conflict("assumed " + Name(old_pod) + " should not be updated");
  if (known->pod->node_name != pod->node_name) {
    return Conflict(fmt::format("scheduler cache is corrupted: {} updated on node {} but added on {}", Name(old_pod),
                                pod->node_name, known->pod->node_name));
  }
  TakeFromNode(*known->pod);
  return AddPod(std::move(pod));
}

Result<void> Cluster::RemovePod(const PodInfo& pod) {
  BERTH_CHECK_OK(CheckUid(pod));
  const PodState* known = pods_.Find(pod.uid);
  if (known == nullptr) {
    return Fail(Code::kNotFound, Name(pod) + " is not found in scheduler cache, so cannot be removed from it");
  }
  // A pod whose deletion was missed is known by an older version, which may have no node yet.
  if (!pod.node_name.empty() && known->pod->node_name != pod.node_name) {
    return Conflict(fmt::format("scheduler cache is corrupted: {} removed from node {} but added on {}", Name(pod),
                                pod.node_name, known->pod->node_name));
  }
  TakeFromNode(*known->pod);
  return {};
}

Result<void> Cluster::AssumePod(PodPtr pod) {
  BERTH_CHECK_OK(CheckUid(*pod));
  if (pods_.contains(pod->uid)) return Conflict(Name(*pod) + " is in the cache, so can't be assumed");
  PutOnNode(std::move(pod), true);
  return {};
}

Result<void> Cluster::ForgetPod(const PodInfo& pod) {
  BERTH_CHECK_OK(CheckUid(pod));
  const PodState* known = pods_.Find(pod.uid);
  if (known == nullptr) return {};
  const std::string& node = known->pod->node_name;
  if (node != pod.node_name) {
    return Conflict(fmt::format("{} was assumed on {} but assigned to {}", Name(pod), pod.node_name, node));
  }
  if (!known->assumed) return Conflict(Name(pod) + " is not assumed, so it cannot be removed or forgotten");
  TakeFromNode(*known->pod, true);
  return {};
}

bool Cluster::IsAssumed(const std::string& uid) const {
  const PodState* known = pods_.Find(uid);
  return known != nullptr && known->assumed;
}

PodPtr Cluster::FindPod(const std::string& uid) const {
  const PodState* known = pods_.Find(uid);
  return known == nullptr ? nullptr : known->pod;
}

std::vector<std::string> Cluster::assumed_uids() const {
  std::vector<std::string> uids;
  if (assumed_count_ == 0) return uids;
  pods_.ForEach([&](std::string_view uid, const PodState& state) {
    if (state.assumed) uids.emplace_back(uid);
  });
  std::ranges::sort(uids);
  return uids;
}

const std::vector<NodeSlot>& Cluster::order() const {
  if (order_is_current_ && order_slots_.size() == order_.node_count()) return order_slots_;
  bool changed = order_slots_.size() != order_.node_count();
  for (size_t i = 0; i < nodes_.slot_limit(); ++i) {
    if (nodes_.has_node[i] == 0 || listed_->contains(nodes_.name[i])) continue;
    listed_.Edit().insert(nodes_.name[i]);
    changed = true;
  }
  if (listed_->size() > order_.node_count()) {
    boost::unordered::erase_if(listed_.Edit(), [&](const std::string& name) { return !FindNode(name); });
    changed = true;
  }
  if (changed) {
    Result<std::vector<std::string>> names = order_.List();
    BERTH_ASSERT(names.has_value());
    order_names_.Edit() = *std::move(names);
  }
  // A node that was removed and added again keeps its place, but may have another slot.
  order_slots_.clear();
  for (const std::string& name : *order_names_) {
    if (const std::optional<NodeSlot> slot = FindNode(name)) order_slots_.push_back(*slot);
  }
  order_is_current_ = true;
  return order_slots_;
}

std::optional<NodeSlot> Cluster::FindNode(std::string_view name) const {
  NodeSlot slot;
  if (!nodes_.Find(name, slot) || nodes_.has_node[slot.index] == 0) return std::nullopt;
  return slot;
}

int32_t Cluster::ClaimUsers(std::string_view claim) const {
  const int32_t* users = claim_users_.Find(claim);
  return users == nullptr ? 0 : *users;
}

const api::Labels& Cluster::NamespaceLabels(std::string_view ns) const {
  static const api::Labels kNone;
  const api::Namespace* found = objects.namespaces.Find("", ns);
  return found == nullptr ? kNone : found->meta.labels;
}

TableSizes Cluster::Sizes() const {
  size_t object_count = 0;
  objects.ForEachStore([&](std::string_view, const auto& store) { object_count += store.all().size(); });
  TableSizes sizes = {{"pods on nodes", pods_.size()},
                      {"assumed pods", assumed_count_},
                      {"priorities of pods", pod_priorities_.size()},
                      {"pod templates", interned_->catalog.template_count()},
                      {"pod label sets", interned_->catalog.label_set_count()},
                      {"resource names", interned_->names.size()},
                      {"owners", owners_.size()},
                      {"images", images_.size()},
                      {"image slots", images_.slot_limit()},
                      {"claims in use", claim_users_.size()},
                      {"nodes in order", order_.node_count()},
                      {"zones in order", order_.zone_count()},
                      {"listed nodes", listed_->size()},
                      {"pod groups", groups.size()},
                      {"coscheduled groups", coscheduled.size()},
                      {"nominated pods", nominated.size()},
                      {"running preemptions", running_preemptions.size()},
                      {"assumed volumes", assumed_volumes.volumes.size()},
                      {"assumed claims", assumed_volumes.claims.size()},
                      {"nodes with attachments", attachments.node_count()},
                      {"objects", object_count}};
  devices.AppendSizes(sizes);
  nodes_.AppendSizes(sizes);
  affinity_.AppendSizes(sizes);
  counters_.AppendSizes(sizes);
  return sizes;
}

void Cluster::PutOnNode(PodPtr pod, bool assumed) {
  const NodeSlot slot = nodes_.FindOrAdd(pod->node_name);
  affinity_.PodAdded(slot, *pod);
  owners_.PodAdded(slot, *pod);
  counters_.PodAdded(slot, *pod);
  CountClaims(slot, *pod, 1);
  nodes_.AddPod(slot, pod);
  assumed ? groups.Assume(pod) : groups.Add(pod);
  coscheduled.Assign(*pod);
  if (assumed) ++assumed_count_;
  ++pod_priorities_[pod->priority()];
  const std::string_view uid = pod->uid;
  pods_[uid] = {.pod = std::move(pod), .assumed = assumed};
}

// Takes the version that was put there, whatever version the caller knows.
void Cluster::TakeFromNode(const PodInfo& stored, bool is_forgotten) {
  const PodState state = *pods_.Find(stored.uid);
  const PodPtr& pod = state.pod;
  if (state.assumed) --assumed_count_;
  if (--*pod_priorities_.Edit(pod->priority()) == 0) pod_priorities_.Erase(pod->priority());
  pods_.Erase(pod->uid);
  NodeSlot slot;
  const bool found = nodes_.Find(pod->node_name, slot) && nodes_.RemovePod(slot, *pod);
  BERTH_ASSERT(found);
  affinity_.PodRemoved(slot, *pod);
  owners_.PodRemoved(slot, *pod);
  counters_.PodRemoved(slot, *pod);
  CountClaims(slot, *pod, -1);
  is_forgotten ? groups.Forget(*pod) : groups.Remove(*pod);
  coscheduled.Unassign(*pod);
  FreeIfUnused(slot);
}

void Cluster::FreeIfUnused(NodeSlot slot) {
  if (nodes_.has_node[slot.index] != 0 || !nodes_.pods[slot.index].pods.empty()) return;
  images_.Forget(slot);
  nodes_.Free(slot);
}

void Cluster::CountClaims(NodeSlot slot, const PodInfo& pod, int32_t sign) {
  if (nodes_.has_node[slot.index] == 0) return;
  for (const api::Volume& volume : pod.spec().volumes) {
    if (volume.source == api::Volume::Source::kPersistentVolumeClaim) CountClaim(pod.ns() + "/" + volume.id, sign);
  }
}

void Cluster::CountClaims(NodeSlot slot, int32_t sign) {
  for (const auto& [claim, count] : nodes_.pods[slot.index].pvc_counts) CountClaim(claim, sign * count);
}

void Cluster::CountClaim(const std::string& claim, int32_t change) {
  int32_t& users = claim_users_[claim];
  users += change;
  if (users == 0) claim_users_.Erase(claim);
}

}  // namespace berth::cluster
