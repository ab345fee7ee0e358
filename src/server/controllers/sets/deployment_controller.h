// SPDX-License-Identifier: Apache-2.0
// DeploymentController: keeps one ReplicaSet per version of a Deployment's template and moves its replicas to the
// newest.
//
// Thread: that of the store.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/controllers/affected_sets.h"
#include "server/controllers/controller.h"
#include "server/controllers/sets/deployment_sets.h"
#include "server/controllers/sets/deployment_status.h"

namespace berth::server {

class DeploymentController : public Controller {
 public:
  explicit DeploymentController(const Cluster& cluster)
      : cluster_(cluster),
        deployments_(cluster.Get("apps", "deployments")),
        sets_(cluster.Get("apps", "replicasets")),
        affected_(deployments_, sets_) {}

  std::string_view name() const override { return "deployment"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override {
    affected_.OnChange(change, Duration{}, enqueue);
  }
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // A Deployment and its sets, as one look sees them.
  struct Look {
    const StoredObject& deployment;
    const Json& tree;
    RolloutPlan plan;
    std::vector<DeploymentSet> sets;

    const DeploymentSet* newest() const;
    bool is_paused() const { return tree["spec"]["paused"].AsBool(); }
    // Its replicas were changed since its sets were sized.
    bool IsScaled() const;
    int64_t collisions() const { return tree["status"]["collisionCount"].IntOr(0); }
  };

  // All of these: whether what was to be done was done.
  bool Claim(const StoredObject& deployment, const api::Selector& selector);
  bool RefreshNewest(const Look& look);
  bool Scale(const Look& look);
  bool RollOut(const Look& look, std::optional<NewSetNews>& news, int64_t& collisions);
  bool Create(const Look& look, std::optional<NewSetNews>& news, int64_t& collisions);
  bool Resize(const Look& look, const std::vector<int64_t>& sizes);
  bool Prune(const Look& look);
  bool Report(const Look& look, RolloutState rollout, int64_t collisions);
  bool NoteRevision(const Look& look);
  void ReportScaling(const Look& look, std::string_view set, int64_t before, int64_t after);

  bool HasOldPods(const Look& look) const;
  std::optional<Duration> UntilDeadline(const StoredObject& deployment) const;

  const Cluster& cluster_;
  const Resource& deployments_;
  const Resource& sets_;
  AffectedSets affected_;
};

}  // namespace berth::server
