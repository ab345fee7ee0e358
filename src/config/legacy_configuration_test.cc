// SPDX-License-Identifier: Apache-2.0
#include "config/legacy_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config.h"

namespace berth::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string LegacyText(std::string_view rest) {
  return "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n" + std::string(rest);
}

LegacyConfiguration LoadedLegacy(std::string_view rest) {
  Result<LegacyConfiguration> loaded = LoadLegacy(LegacyText(rest), {});
  EXPECT_TRUE(loaded.has_value()) << loaded.error().message;
  return loaded ? *std::move(loaded) : LegacyConfiguration();
}

std::string LegacyError(std::string_view rest) {
  const Result<LegacyConfiguration> loaded = LoadLegacy(LegacyText(rest), {});
  return loaded ? "" : loaded.error().message;
}

TEST(LegacyConfiguration, IsKnownByItsVersion) {
  EXPECT_TRUE(IsLegacyConfiguration(LegacyText("")));
  EXPECT_TRUE(IsLegacyConfiguration(
      R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1alpha1"})"));
  EXPECT_FALSE(IsLegacyConfiguration("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration"));
  EXPECT_FALSE(IsLegacyConfiguration("apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: Policy"));
  EXPECT_FALSE(IsLegacyConfiguration("{"));
  EXPECT_FALSE(IsLegacyConfiguration(""));
}

TEST(LegacyConfiguration, HasTheDefaultsOfItsTime) {
  const LegacyConfiguration loaded = LoadedLegacy("");

  EXPECT_EQ(loaded.source, AlgorithmSource(AlgorithmProvider{"DefaultProvider"}));
  EXPECT_EQ(loaded.scheduler_name, "default-scheduler");
  EXPECT_EQ(loaded.hard_pod_affinity_weight, 1);
  EXPECT_EQ(loaded.bind_timeout_seconds, 600);
  EXPECT_FALSE(loaded.disable_preemption);
  EXPECT_TRUE(loaded.plain_addresses.empty());
  EXPECT_FALSE(loaded.configuration.enable_profiling);
  EXPECT_FALSE(loaded.configuration.percentage_of_nodes_to_score.has_value());
  EXPECT_EQ(loaded.configuration.leader_election, framework::LeaderElectionConfiguration());
  EXPECT_EQ(loaded.configuration.client_connection, framework::ClientConnectionConfiguration());
}

TEST(LegacyConfiguration, ReadsWhatItIsGiven) {
  const LegacyConfiguration loaded = LoadedLegacy(R"(
schedulerName: mine
algorithmSource: {policy: {configMap: {name: p}}}
hardPodAffinitySymmetricWeight: 7
leaderElection: {leaderElect: false, lockObjectNamespace: ns, lockObjectName: lock, resourceName: other}
clientConnection: {kubeconfig: /kc, qps: 5}
healthzBindAddress: 0.0.0.0:10251
metricsBindAddress: 127.0.0.1:10252
enableProfiling: true
disablePreemption: true
percentageOfNodesToScore: 0
bindTimeoutSeconds: 9
unknown: ignored
)");

  EXPECT_EQ(loaded.source, AlgorithmSource(PolicyConfigMap{"kube-system", "p"}));
  EXPECT_EQ(loaded.scheduler_name, "mine");
  EXPECT_EQ(loaded.hard_pod_affinity_weight, 7);
  EXPECT_EQ(loaded.configuration.leader_election.resource_namespace, "ns");
  EXPECT_EQ(loaded.configuration.leader_election.resource_name, "lock");
  EXPECT_FALSE(loaded.configuration.leader_election.leader_elect);
  EXPECT_EQ(loaded.configuration.client_connection.kubeconfig, "/kc");
  EXPECT_TRUE(loaded.configuration.enable_profiling);
  EXPECT_TRUE(loaded.disable_preemption);
  EXPECT_EQ(loaded.configuration.percentage_of_nodes_to_score, 0);
  EXPECT_EQ(loaded.bind_timeout_seconds, 9);
  EXPECT_THAT(loaded.plain_addresses, ElementsAre("0.0.0.0:10251", "127.0.0.1:10252"));
}

TEST(LegacyConfiguration, TakesOneOfSeveralSources) {
  EXPECT_EQ(LoadedLegacy("algorithmSource: {provider: P, policy: {file: {path: /p}}}").source,
            AlgorithmSource(AlgorithmProvider{"P"}));
  EXPECT_EQ(LoadedLegacy("algorithmSource: {policy: {file: {path: /p}, configMap: {name: m}}}").source,
            AlgorithmSource(PolicyFile{"/p"}));
  EXPECT_EQ(LoadedLegacy("algorithmSource: {policy: {configMap: {name: m, namespace: ns}}}").source,
            AlgorithmSource(PolicyConfigMap{"ns", "m"}));
  EXPECT_EQ(LoadedLegacy("algorithmSource: {policy: {}}").source, AlgorithmSource(AlgorithmProvider{kDefaultProvider}));
}

TEST(LegacyConfiguration, RefusesWhatMakesNoSense) {
  EXPECT_EQ(LegacyError("hardPodAffinitySymmetricWeight: 101"),
            "hardPodAffinitySymmetricWeight: Invalid value: 101: not in valid range 0-100");
  EXPECT_THAT(LegacyError("percentageOfNodesToScore: 101"), HasSubstr("percentageOfNodesToScore: Invalid value: 101"));
  EXPECT_THAT(LegacyError("leaderElection: {resourceLock: endpoints}"), HasSubstr("resourceLock value must be"));
  EXPECT_THAT(LegacyError("plugins: {filter: {enabled: [{name: a}]}}"), HasSubstr("v1.16 had no plugins"));
  EXPECT_NE(LegacyError("schedulerName: 7"), "");
}

}  // namespace
}  // namespace berth::config
