// SPDX-License-Identifier: Apache-2.0
// SchedulerConfiguration: KubeSchedulerConfiguration v1 as plain data.
//
// A default-constructed value holds the defaults, but no profile: config::Load and config::Default return complete
// ones, with the default plugins merged into each profile and typed arguments for each of them.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "framework/extension_points.h"
#include "framework/plugin_args.h"

namespace berth::framework {

struct PluginReference {
  std::string name;
  int32_t weight = 0;  // 0: not given.

  static constexpr auto Fields() {
    return std::array{Member<&PluginReference::name>("name"), Member<&PluginReference::weight>("weight")};
  }
  bool operator==(const PluginReference&) const = default;
};

struct PluginSet {
  std::vector<PluginReference> enabled;
  std::vector<PluginReference> disabled;  // The name "*" stands for all.

  static constexpr auto Fields() {
    return std::array{Member<&PluginSet::enabled>("enabled"), Member<&PluginSet::disabled>("disabled")};
  }
  bool operator==(const PluginSet&) const = default;
};

struct Plugins {
  PluginSet multi_point;
  std::array<PluginSet, kExtensionPointCount> points;

  PluginSet& operator[](ExtensionPoint point) { return points[static_cast<size_t>(point)]; }
  const PluginSet& operator[](ExtensionPoint point) const { return points[static_cast<size_t>(point)]; }

  bool operator==(const Plugins&) const = default;
};

struct PluginConfig {
  std::string name;
  PluginArgs args;

  bool operator==(const PluginConfig&) const = default;
};

struct ProfileConfiguration {
  std::string scheduler_name;
  // Absent: the configuration's value applies. An explicit 0 asks for the adaptive percentage.
  std::optional<int32_t> percentage_of_nodes_to_score;
  Plugins plugins;
  std::vector<PluginConfig> plugin_config;  // Sorted by name once complete.
  // Filters go on after one has rejected a node, so that all reasons are known. Only a legacy Policy can ask for it.
  bool run_all_filters = false;

  bool operator==(const ProfileConfiguration&) const = default;
};

struct LeaderElectionConfiguration {
  bool leader_elect = true;
  Duration lease_duration = Seconds(15);
  Duration renew_deadline = Seconds(10);
  Duration retry_period = Seconds(2);
  std::string resource_lock = "leases";
  std::string resource_name = "kube-scheduler";
  std::string resource_namespace = "kube-system";

  bool operator==(const LeaderElectionConfiguration&) const = default;
};

struct ClientConnectionConfiguration {
  std::string kubeconfig;
  std::string accept_content_types;
  std::string content_type = "application/vnd.kubernetes.protobuf";
  float qps = 50;  // Negative: no limit.
  int32_t burst = 100;

  bool operator==(const ClientConnectionConfiguration&) const = default;
};

struct ExtenderTlsConfig {
  bool insecure = false;
  std::string server_name;
  std::string cert_file;
  std::string key_file;
  std::string ca_file;
  std::string cert_data;  // PEM bytes; data takes precedence over the file.
  std::string key_data;
  std::string ca_data;

  bool operator==(const ExtenderTlsConfig&) const = default;
};

struct ExtenderManagedResource {
  std::string name;
  bool ignored_by_scheduler = false;

  bool operator==(const ExtenderManagedResource&) const = default;
};

struct ExtenderConfiguration {
  std::string url_prefix;
  std::string filter_verb;  // An empty verb: not offered.
  std::string preempt_verb;
  std::string prioritize_verb;
  int64_t weight = 0;
  std::string bind_verb;
  bool enable_https = false;
  std::optional<ExtenderTlsConfig> tls_config;
  Duration http_timeout;  // 0 becomes 5 s when completed.
  bool node_cache_capable = false;
  std::vector<ExtenderManagedResource> managed_resources;
  bool ignorable = false;

  bool operator==(const ExtenderConfiguration&) const = default;
};

struct SchedulerConfiguration {
  int32_t parallelism = 16;
  LeaderElectionConfiguration leader_election;
  ClientConnectionConfiguration client_connection;
  bool enable_profiling = true;
  bool enable_contention_profiling = true;
  // Absent: all nodes are scored. An explicit 0 asks for upstream's adaptive percentage.
  std::optional<int32_t> percentage_of_nodes_to_score;
  int64_t pod_initial_backoff_seconds = 1;
  int64_t pod_max_backoff_seconds = 10;
  std::vector<ProfileConfiguration> profiles;
  std::vector<ExtenderConfiguration> extenders;
  int64_t extender_score_scale = 10;  // Not in files: what an extender's score is multiplied by, besides its weight.
  bool delay_cache_until_active = false;
  Duration pod_max_in_unschedulable = Minutes(5);  // Not in files: --pod-max-in-unschedulable-pods-duration.

  bool operator==(const SchedulerConfiguration&) const = default;
};

}  // namespace berth::framework
