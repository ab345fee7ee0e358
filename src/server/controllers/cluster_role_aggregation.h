// SPDX-License-Identifier: Apache-2.0
// ClusterRoleAggregation: gives cluster roles with an aggregation rule the rules of those that it selects.
//
// Thread: that of the store.

#pragma once

#include <set>
#include <string>

#include "server/controllers/controller.h"

namespace berth::server {

class ClusterRoleAggregation : public Controller {
 public:
  explicit ClusterRoleAggregation(const Cluster& cluster)
      : cluster_(cluster), roles_(cluster.Get("rbac.authorization.k8s.io", "clusterroles")) {}

  std::string_view name() const override { return "clusterrole-aggregation-controller"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // The name of a cluster role.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  Json SelectedRules(const Json& role) const;

  const Cluster& cluster_;
  const Resource& roles_;
  std::set<std::string> aggregating_;  // The roles that have such a rule.
};

}  // namespace berth::server
