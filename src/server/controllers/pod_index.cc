// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pod_index.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <charconv>

#include "server/controllers/device_claim_names.h"
#include "server/controllers/ephemeral_claim_name.h"
#include "server/controllers/job_marks.h"
#include "server/model/metadata.h"

namespace berth::server {
namespace {

const PodIndex::Keys kNone;
const PodIndex::Tallies kNoTallies;

PodInfo::Phase PhaseOf(std::string_view phase) {
  if (phase == "Running") return PodInfo::Phase::kRunning;
  if (phase == "Succeeded") return PodInfo::Phase::kSucceeded;
  return phase == "Failed" ? PodInfo::Phase::kFailed : PodInfo::Phase::kPending;
}

// 0 if it says none, or nothing that can be read.
int32_t DeletionCostOf(const Json& annotations) {
  const std::string& text = annotations["controller.kubernetes.io/pod-deletion-cost"].text();
  int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  return error == std::errc() && end == text.data() + text.size() ? cost : 0;
}

// What only Jobs ask for.
void ReadJobPart(const Json& pod, PodInfo& info) {
  info.job_index = JobIndexOf(pod["metadata"]["annotations"]);
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const Json& container : pod["status"][list].items()) info.restarts += container["restartCount"].IntOr(0);
  }
}

PodInfo Read(const ObjectPtr& pod) {
  const TreePtr kept = pod->tree();
  const Json& tree = *kept;
  const Json& metadata = tree["metadata"];
  PodInfo info{.object = pod,
               .owner_uid = {},
               .owner_kind = {},
               .owner_name = {},
               .node = tree["spec"]["nodeName"].text(),
               .group = tree["spec"]["schedulingGroup"]["podGroupName"].text(),
               .phase = PhaseOf(tree["status"]["phase"].text()),
               .is_deleting = pod->is_being_deleted(),
               .deletion_cost = DeletionCostOf(metadata["annotations"])};
  for (const Json& owner : metadata["ownerReferences"].items()) {
    if (!owner["controller"].AsBool()) continue;
    info.owner_uid = owner["uid"].text();
    info.owner_kind = owner["kind"].text();
    info.owner_name = owner["name"].text();
  }
  for (const Json& condition : tree["status"]["conditions"].items()) {
    if (condition["type"].text() != "Ready") continue;
    info.is_ready = condition["status"].text() == "True";
    // One that does not say since when is not available before the end of time.
    info.ready_since = ParseTime(condition["lastTransitionTime"].text()).value_or(Time{INT64_MAX});
  }
  for (const Json& volume : tree["spec"]["volumes"].items()) {
    if (volume.Has("ephemeral")) {
      info.has_ephemeral_volumes = true;
      info.claims.push_back(EphemeralClaimName(*pod, volume));
    } else if (volume.Has("persistentVolumeClaim")) {
      info.claims.push_back(volume["persistentVolumeClaim"]["claimName"].text());
    }
  }
  info.is_tracked = HasFinalizer(metadata, kJobTrackingFinalizer);
  if (info.owner_kind == "Job") ReadJobPart(tree, info);
  info.has_device_claims = !tree["spec"]["resourceClaims"].empty() || tree["status"].Has("extendedResourceClaimStatus");
  if (!info.has_device_claims) return info;
  info.device_claims = DeviceClaimNames(tree);
  info.awaits_device_claims = std::ranges::any_of(tree["spec"]["resourceClaims"].items(),
                                                  [&](const Json& entry) { return !DeviceClaimName(tree, entry); });
  return info;
}

// Whether both count in the same way.
bool CountsAs(const PodInfo& left, const PodInfo& right) {
  return left.owner_uid == right.owner_uid && left.is_active() == right.is_active() &&
         left.is_terminating() == right.is_terminating() && left.is_ready == right.is_ready &&
         left.object->labels() == right.object->labels();
}

}  // namespace

size_t PodIndex::LabelsHash::operator()(const api::Labels& labels) const {
  size_t hash = labels.size();
  for (const auto& [name, value] : labels) {
    boost::hash_combine(hash, name);
    boost::hash_combine(hash, value);
  }
  return hash;
}

void PodIndex::Put(const ObjectPtr& pod) {
  PodInfo info = Read(pod);
  const auto known = by_key_.find(pod->key());
  const bool is_new = known == by_key_.end();
  PodInfo& present = is_new ? Add(pod->key()) : *known->second;
  if (is_new || present.owner_uid != info.owner_uid) {
    if (!is_new) Leave(by_owner_, present.owner_uid, pod->key());
    by_owner_[info.owner_uid].insert(pod->key());
  }
  if (present.node != info.node) {
    Leave(by_node_, present.node, pod->key());
    if (!info.node.empty()) by_node_[info.node].insert(pod->key());
  }
  const bool counts_otherwise = is_new || !CountsAs(present, info);
  if (counts_otherwise && !is_new) TakeFromTally(present);
  const bool has_other_group = present.group != info.group;
  const bool has_other_claims = present.claims != info.claims;
  const bool has_other_device_claims = present.device_claims != info.device_claims;
  if (has_other_group && !is_new) LeaveGroup(present);
  if (has_other_claims && !is_new) LeaveClaims(by_claim_, present, present.claims);
  if (has_other_device_claims && !is_new) LeaveClaims(by_device_claim_, present, present.device_claims);
  present = std::move(info);
  if (counts_otherwise) AddToTally(present);
  if (has_other_group) JoinGroup(present);
  if (has_other_claims) JoinClaims(by_claim_, present, present.claims);
  if (has_other_device_claims) JoinClaims(by_device_claim_, present, present.device_claims);
  last_ = &present;
}

PodInfo& PodIndex::Add(const std::string& key) {
  const auto at = pods_.try_emplace(key).first;
  by_key_.emplace(at->first, &at->second);
  return at->second;
}

void PodIndex::AddToTally(const PodInfo& pod) {
  if (pod.owner_uid.empty() || pod.has_ended()) return;
  Tally& tally = tallies_[pod.owner_uid][pod.object->labels()];
  if (pod.is_terminating()) {
    ++tally.terminating;
    return;
  }
  ++tally.active;
  if (pod.is_ready) ++tally.ready;
}

void PodIndex::TakeFromTally(const PodInfo& pod) {
  if (pod.owner_uid.empty() || pod.has_ended()) return;
  const auto owner = tallies_.find(pod.owner_uid);
  const auto found = owner->second.find(pod.object->labels());
  Tally& tally = found->second;
  if (pod.is_terminating()) {
    --tally.terminating;
  } else {
    --tally.active;
    if (pod.is_ready) --tally.ready;
  }
  if (tally.active == 0 && tally.terminating == 0) owner->second.erase(found);
  if (owner->second.empty()) tallies_.erase(owner);
}

void PodIndex::Remove(const StoredObject& pod) {
  const auto found = pods_.find(pod.key());
  if (found == pods_.end()) return;
  last_ = nullptr;
  TakeFromTally(found->second);
  Leave(by_owner_, found->second.owner_uid, pod.key());
  Leave(by_node_, found->second.node, pod.key());
  LeaveGroup(found->second);
  LeaveClaims(by_claim_, found->second, found->second.claims);
  LeaveClaims(by_device_claim_, found->second, found->second.device_claims);
  by_key_.erase(found->first);
  pods_.erase(found);
}

const PodInfo* PodIndex::Find(std::string_view key) const {
  if (last_ != nullptr && last_->key() == key) return last_;
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : found->second;
}

const PodIndex::Keys& PodIndex::OfOwner(std::string_view uid) const { return Find(by_owner_, uid); }

const PodIndex::Tallies& PodIndex::TalliesOf(std::string_view uid) const {
  const auto found = tallies_.find(uid);
  return found == tallies_.end() ? kNoTallies : found->second;
}

const PodIndex::Keys& PodIndex::OnNode(std::string_view node) const { return Find(by_node_, node); }

const PodIndex::Keys& PodIndex::InGroup(std::string_view group) const { return Find(by_group_, group); }

const PodIndex::Keys& PodIndex::UsingClaim(std::string_view claim) const { return Find(by_claim_, claim); }

const PodIndex::Keys& PodIndex::UsingDeviceClaim(std::string_view claim) const { return Find(by_device_claim_, claim); }

void PodIndex::JoinGroup(const PodInfo& pod) {
  if (!pod.group.empty()) by_group_[ObjectKey(pod.object->ns(), pod.group)].insert(pod.key());
}

void PodIndex::LeaveGroup(const PodInfo& pod) {
  if (!pod.group.empty()) Leave(by_group_, ObjectKey(pod.object->ns(), pod.group), pod.key());
}

void PodIndex::JoinClaims(Groups& groups, const PodInfo& pod, const std::vector<std::string>& claims) {
  for (const std::string& name : claims) groups[ObjectKey(pod.object->ns(), name)].insert(pod.key());
}

void PodIndex::LeaveClaims(Groups& groups, const PodInfo& pod, const std::vector<std::string>& claims) {
  for (const std::string& name : claims) Leave(groups, ObjectKey(pod.object->ns(), name), pod.key());
}

void PodIndex::Leave(Groups& groups, const std::string& group, const std::string& key) {
  const auto found = groups.find(group);
  if (found == groups.end()) return;
  found->second.erase(key);
  if (found->second.empty()) groups.erase(found);
}

const PodIndex::Keys& PodIndex::Find(const Groups& groups, std::string_view group) {
  const auto found = groups.find(group);
  return found == groups.end() ? kNone : found->second;
}

}  // namespace berth::server
