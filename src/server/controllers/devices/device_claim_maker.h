// SPDX-License-Identifier: Apache-2.0
// DeviceClaimMaker: makes the claims to devices that pods and groups of pods describe by a template, and says in their
// status which they are. Pods that have a node already, not from a scheduler, get their claims reserved.
//
// A claim that is lost while its owner needs it is made again.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <set>
#include <string>

#include "server/controllers/controller.h"

namespace berth::server {

class DeviceClaimMaker : public Controller {
 public:
  explicit DeviceClaimMaker(const Cluster& cluster)
      : cluster_(cluster),
        pods_(cluster.Get("", "pods")),
        groups_(cluster.Get("scheduling.k8s.io", "podgroups")),
        claims_(cluster.Get("resource.k8s.io", "resourceclaims")),
        templates_(cluster.Get("resource.k8s.io", "resourceclaimtemplates")) {}

  std::string_view name() const override { return "resource-claim"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the key of a pod, or of a group behind a mark.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // The claims of an owner, by the names of its entries, that its status does not have yet.
  using Names = std::map<std::string, std::string>;

  void OnGroupChange(const StoredObject& group, bool is_deletion, const Enqueue& enqueue);
  // What waits for a template waits for none any more.
  void Forget(const std::string& key);
  std::optional<Duration> SyncPod(const PodInfo& pod);
  std::optional<Duration> SyncGroup(const StoredObject& group);
  using Gate = framework::Gate;
  bool HasGate(Gate gate) const;
  // Null if the pod has none, or it is missing.
  ObjectPtr GroupOf(const PodInfo& pod) const;
  // The group with the entries that its pods share; null if they share none.
  Json SharedOf(const ObjectPtr& group) const;
  // Makes the claim of an entry if it is not there. A failure is reported to users.
  Outcome<void> AddClaim(const StoredObject& owner, const Json& tree, const Json& entry, Names& names);
  // The name of the claim of an entry, made if it is not there; "" if the owner needs none.
  Outcome<std::string> ClaimOf(const StoredObject& owner, const Json& tree, const Json& entry);
  // The name of a claim that was made for the entry before its name came into the status; "" if there is none.
  std::string FindMade(const StoredObject& owner, const std::string& entry) const;
  Outcome<std::string> MakeClaim(const StoredObject& owner, const Json& entry);
  bool WriteNames(const StoredObject& owner, const Names& names);
  bool Reserve(const StoredObject& pod, const Json& tree, const ObjectPtr& group);

  const Cluster& cluster_;
  const Resource& pods_;
  const Resource& groups_;
  const Resource& claims_;
  const Resource& templates_;
  // What waits for a template, by its key.
  std::map<std::string, std::set<std::string>, std::less<>> waiting_;
};

}  // namespace berth::server
