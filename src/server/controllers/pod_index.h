// SPDX-License-Identifier: Apache-2.0
// PodIndex: what controllers ask about pods, read once per change: whose they are, where they run and how they are.
//
// Thread: that of the store.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "server/store/store.h"

namespace berth::server {

struct PodInfo {
  enum class Phase : uint8_t { kPending, kRunning, kSucceeded, kFailed };

  ObjectPtr object;
  // The controller among its owners; "" if there is none.
  std::string owner_uid;
  std::string owner_kind;
  std::string owner_name;
  std::string node;   // "" if it is not bound.
  std::string group;  // That it is scheduled with; "" if it is alone.
  Phase phase = Phase::kPending;
  bool is_ready = false;
  Time ready_since = {};  // As far as it is ready.
  bool is_deleting = false;
  int32_t deletion_cost = 0;  // Of equally good pods of a set, those that cost less go first.
  bool has_ephemeral_volumes = false;
  bool has_device_claims = false;
  bool is_tracked = false;                      // A Job has yet to count it: it has the finalizer for that.
  bool awaits_device_claims = false;            // Not all of them were made yet.
  int64_t job_index = -1;                       // Among the pods of an indexed Job; -1: it has none.
  int64_t restarts = 0;                         // Of the containers of a Job's pod.
  std::vector<std::string> claims = {};         // The names of the claims that it uses, also of its ephemeral volumes.
  std::vector<std::string> device_claims = {};  // The names of its claims to devices, those that were made.

  const std::string& key() const { return object->key(); }
  bool has_ended() const { return phase == Phase::kSucceeded || phase == Phase::kFailed; }
  // Counts for its owner.
  bool is_active() const { return !has_ended() && !is_deleting; }
  bool is_terminating() const { return !has_ended() && is_deleting; }
};

class PodIndex {
 public:
  using Keys = std::set<std::string, std::less<>>;
  // How many pods count for their owner, how many of these are ready, and how many are about to go.
  struct Tally {
    size_t active = 0;
    size_t ready = 0;
    size_t terminating = 0;
  };
  struct LabelsHash {
    size_t operator()(const api::Labels& labels) const;
  };
  using Tallies = std::unordered_map<api::Labels, Tally, LabelsHash>;

  // REQUIRES: the object is a pod.
  void Put(const ObjectPtr& pod);
  void Remove(const StoredObject& pod);

  // Null if there is none. Cost: none for the pod that changed last, which every controller asks for.
  const PodInfo* Find(std::string_view key) const;
  // In the order of keys. The pods of owner "" are controlled by nobody.
  const Keys& OfOwner(std::string_view uid) const;
  // Of the same pods, by their labels. Pods of one template have few different ones.
  const Tallies& TalliesOf(std::string_view uid) const;
  const Keys& OnNode(std::string_view node) const;
  // The pods of the group with this key.
  const Keys& InGroup(std::string_view group) const;
  // The pods that use the claim with this key.
  const Keys& UsingClaim(std::string_view claim) const;
  // The same for a claim to devices.
  const Keys& UsingDeviceClaim(std::string_view claim) const;
  const std::map<std::string, PodInfo, std::less<>>& all() const { return pods_; }

 private:
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Groups = std::unordered_map<std::string, Keys, TextHash, std::equal_to<>>;

  PodInfo& Add(const std::string& key);
  void AddToTally(const PodInfo& pod);
  void TakeFromTally(const PodInfo& pod);
  static void JoinClaims(Groups& groups, const PodInfo& pod, const std::vector<std::string>& claims);
  static void LeaveClaims(Groups& groups, const PodInfo& pod, const std::vector<std::string>& claims);
  void JoinGroup(const PodInfo& pod);
  void LeaveGroup(const PodInfo& pod);
  static void Leave(Groups& groups, const std::string& group, const std::string& key);
  static const Keys& Find(const Groups& groups, std::string_view group);

  std::map<std::string, PodInfo, std::less<>> pods_;
  boost::unordered_flat_map<std::string_view, PodInfo*> by_key_;  // All of them.
  const PodInfo* last_ = nullptr;                                 // The pod that was put last; null if it is gone.
  Groups by_owner_;
  std::unordered_map<std::string, Tallies, TextHash, std::equal_to<>> tallies_;  // By owner; not of pods without one.
  Groups by_node_;
  Groups by_group_;
  Groups by_claim_;
  Groups by_device_claim_;
};

}  // namespace berth::server
