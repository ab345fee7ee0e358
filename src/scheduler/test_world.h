// SPDX-License-Identifier: Apache-2.0
// QueueWorld: cluster, queue and handlers with a small profile, for tests.
//
// The profile "default-scheduler" has NodeName, which a new node may help, NodePorts, which also a deleted pod with the
// port may help, SchedulingGates and TaintToleration.

#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/assert.h"
#include "cluster/test_builders.h"
#include "plugins/registry.h"
#include "scheduler/event_handlers.h"
#include "scheduler/failure_handler.h"
#include "scheduler/profile_policy.h"

namespace berth::scheduler {

struct QueueWorld {
  static Profiles MakeProfiles() {
    framework::ProfileConfiguration configuration;
    configuration.scheduler_name = "default-scheduler";
    configuration.plugins.multi_point.enabled = {{"PrioritySort"}, {"DefaultBinder"},   {"NodeName"},
                                                 {"NodePorts"},    {"SchedulingGates"}, {"TaintToleration"}};
    Profiles profiles;
    profiles.emplace("default-scheduler",
                     framework::Profile::Create(configuration, plugins::BuiltIn(), framework::FeatureGates()).value());
    return profiles;
  }
  static cluster::PodBuilder Builder(const std::string& name, const std::string& version = "1") {
    return cluster::PodBuilder(name).SchedulerName("default-scheduler").ResourceVersion(version);
  }

  void Put(api::Object object) { handlers.Put(std::move(object), now); }
  void Remove(std::string_view kind, std::string_view name, bool final_state_unknown = false) {
    handlers.Remove(kind, kind == "Pod" ? "default" : "", name, final_state_unknown, now);
  }
  // Pops the next pod and lets `plugin` reject it; no name stands for an internal error.
  cluster::PodPtr Reject(std::string_view plugin) { return failures.AttemptFailed(queue.Pop(), By(plugin), now); }
  Failure By(std::string_view plugin) {
    Failure failure;
    if (!plugin.empty()) failure.unschedulable_plugins.Insert(policy.names().Intern(plugin));
    return failure;
  }
  // Pops the next pod and assumes it on `node`.
  std::pair<std::unique_ptr<queue::QueuedPod>, cluster::PodPtr> Assume(const std::string& node) {
    std::unique_ptr<queue::QueuedPod> pod = queue.Pop();
    cluster::PodPtr assumed = cluster::PodCatalog::WithNode(*pod->pod, node);
    BERTH_ASSERT(cluster.AssumePod(assumed).has_value());
    return {std::move(pod), assumed};
  }
  bool IsActive(const std::string& name) const { return queue.active().Find("default/" + name) != nullptr; }
  bool IsBackingOff(const std::string& name) const { return queue.backoff().Find("default/" + name) != nullptr; }
  bool IsWaiting(const std::string& name) const { return queue.unschedulable().Find("default/" + name) != nullptr; }

  Time now{Seconds(1000).nanos};
  cluster::Cluster cluster;
  Profiles profiles = MakeProfiles();
  Extenders extenders{framework::SchedulerConfiguration()};
  ProfilePolicy policy{profiles, extenders, cluster};
  queue::PodStore store;
  queue::SchedulingQueue queue{{}, policy, store, cluster.nominated};
  bool rejects_waiting = false;
  EventHandlers handlers{cluster, store, queue, policy, [this](const std::string&) { return rejects_waiting; }};
  FailureHandler failures{cluster, store, queue};
};

}  // namespace berth::scheduler
