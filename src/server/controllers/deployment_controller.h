// SPDX-License-Identifier: Apache-2.0
// DeploymentController: keeps one ReplicaSet per version of a Deployment's template and moves its replicas to the
// newest.
//
// Thread: that of the store.

#pragma once

#include <functional>
#include <vector>

#include "server/controllers/controller.h"

namespace berth::server {

class DeploymentController : public Controller {
 public:
  explicit DeploymentController(const Cluster& cluster)
      : cluster_(cluster),
        deployments_(cluster.Get("apps", "deployments")),
        sets_(cluster.Get("apps", "replicasets")) {}

  std::string_view name() const override { return "deployment"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  struct Set {
    ObjectPtr object;
    Json tree;
    bool is_new = false;  // Of the present template.

    int64_t wanted() const { return tree["spec"]["replicas"].IntOr(0); }
    int64_t present() const { return tree["status"]["replicas"].IntOr(0); }
    int64_t available() const { return tree["status"]["availableReplicas"].IntOr(0); }
    int64_t revision() const;
  };

  std::vector<Set> SetsOf(const StoredObject& deployment, const Json& tree) const;
  // Whether all that was to be done was done.
  bool Adopt(const StoredObject& deployment, const Json& tree);
  bool Create(const StoredObject& deployment, const Json& tree, int64_t revision, int64_t replicas);
  bool Edit(const Set& set, std::move_only_function<void(Json& changed)> edit);
  bool Renumber(const std::vector<Set>& sets);
  bool Resize(const Json& tree, const std::vector<Set>& sets);
  bool Prune(const Json& tree, const std::vector<Set>& sets);
  bool Report(const StoredObject& deployment, const Json& tree, const std::vector<Set>& sets);
  std::optional<Duration> UntilDeadline(const StoredObject& deployment) const;

  const Cluster& cluster_;
  const Resource& deployments_;
  const Resource& sets_;
};

}  // namespace berth::server
