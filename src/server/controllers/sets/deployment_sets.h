// SPDX-License-Identifier: Apache-2.0
// The ReplicaSets of a Deployment: which there are, what is noted on them, and what a new one is like.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/controllers/controller.h"
#include "server/controllers/sets/rollout.h"

namespace berth::server {

inline constexpr std::string_view kDeploymentRevision = "deployment.kubernetes.io/revision";

struct DeploymentSet {
  ObjectPtr object;
  Json tree;
  bool is_newest = false;  // Of the present template.

  int64_t wanted() const { return tree["spec"]["replicas"].IntOr(0); }
  int64_t present() const { return tree["status"]["replicas"].IntOr(0); }
  int64_t available() const { return tree["status"]["availableReplicas"].IntOr(0); }
  int64_t revision() const;
  RolloutSet counts() const;
  // It was sized when the Deployment was another than by this plan.
  bool HasOtherScale(const RolloutPlan& plan) const;
};

// Those that `deployment` controls, the oldest first. If several have the present template, the oldest of them is the
// newest set.
std::vector<DeploymentSet> SetsOf(const Cluster& cluster, const StoredObject& deployment, const Json& tree);
// The highest of the others.
int64_t LastRevision(const std::vector<DeploymentSet>& sets);

// A set of the present template, of no size yet.
Json MakeDeploymentSet(const StoredObject& deployment, const Json& tree, int64_t revision, int64_t collisions);
// Changes the newest set to what the Deployment says about it: notes, revision, minReadySeconds.
void RefreshSet(Json& set, const Json& deployment, int64_t revision);
// Sizes a set.
void ResizeSet(Json& set, int64_t size, const RolloutPlan& plan);
// Whether a set has the template of the Deployment.
bool HasTemplateOf(const Json& set, const Json& deployment);

}  // namespace berth::server
