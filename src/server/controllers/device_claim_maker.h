// SPDX-License-Identifier: Apache-2.0
// DeviceClaimMaker: makes the claims to devices that pods describe by a template, and says in the pod's status which
// they are. Pods that have a node already, not from a scheduler, get their claims reserved.
//
// A claim that is lost while its pod needs it is made again.
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
        claims_(cluster.Get("resource.k8s.io", "resourceclaims")),
        templates_(cluster.Get("resource.k8s.io", "resourceclaimtemplates")) {}

  std::string_view name() const override { return "resource-claim"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the key of a pod.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // The pod waits for no template any more.
  void Forget(const std::string& pod);
  // The name of the claim of an entry, made if it is not there; "" if the pod needs none.
  Outcome<std::string> ClaimOf(const StoredObject& pod, const Json& tree, const Json& entry);
  // The name of a claim that was made for the entry before its name came into the status; "" if there is none.
  std::string FindMade(const StoredObject& pod, const std::string& entry) const;
  Outcome<std::string> MakeClaim(const StoredObject& pod, const Json& entry);
  bool WriteNames(const StoredObject& pod, const std::map<std::string, std::string>& names);
  bool Reserve(const StoredObject& pod, const Json& tree);

  const Cluster& cluster_;
  const Resource& pods_;
  const Resource& claims_;
  const Resource& templates_;
  // The pods that wait for a template, by its key.
  std::map<std::string, std::set<std::string>, std::less<>> waiting_;
};

}  // namespace berth::server
