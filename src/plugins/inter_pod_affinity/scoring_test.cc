// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "plugins/helpers/test_run.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/inter_pod_affinity/test_cluster.h"

namespace berth::plugins {
namespace {

using cluster::Cluster;
using cluster::MatchLabels;
using cluster::NodeBuilder;
using cluster::PodBuilder;
using cluster::Term;

TestRun<InterPodAffinity> On(Cluster& cluster, const api::Pod& pod, int32_t hard_weight = 1, bool ignore = false) {
  static std::map<std::pair<int32_t, bool>, InterPodAffinity> plugins;
  const auto it = plugins.try_emplace({hard_weight, ignore}, InterPodAffinity::Args{hard_weight, ignore}).first;
  return {it->second, cluster, pod};
}

TEST(InterPodScore, PodThatNothingConcernsSkips) {
  Cluster cluster;
  FourNodes(cluster);
  Put(cluster, AppPod("x", "db").Node("a").PreferredAffinity(5, Term(kZone, {{"app", "db"}})));

  EXPECT_TRUE(On(cluster, AppPod("p", "web")).PreScore().is_skip());
  EXPECT_TRUE(
      On(cluster, AppPod("p", "web").PreferredAffinity(1, Term(kZone, {{"app", "none"}}))).PreScore().is_skip());
}

TEST(InterPodScore, MatchesThatCancelOutAreStillScored) {
  Cluster cluster;
  FourNodes(cluster);
  Put(cluster, AppPod("x", "db").Node("a"));
  const api::Pod pod = AppPod("p", "web")
                           .PreferredAffinity(5, Term(kZone, {{"app", "db"}}))
                           .PreferredAntiAffinity(5, Term(kZone, {{"app", "db"}}));

  EXPECT_EQ(On(cluster, pod).FinalScores(), (Numbers{{"a", 0}, {"b", 0}, {"bare", 0}, {"c", 0}}));
}

TEST(InterPodScore, OwnPreferencesAddUpPerPodAndDomain) {
  Cluster cluster;
  FourNodes(cluster);
  Put(cluster, AppPod("x", "db").Node("a"));
  Put(cluster, AppPod("y", "db").Node("b"));
  Put(cluster, AppPod("z", "noisy").Node("c"));
  const api::Pod pod = AppPod("p", "web")
                           .PreferredAffinity(10, Term(kZone, {{"app", "db"}}))
                           .PreferredAffinity(3, Term(kHost, {{"app", "db"}}))
                           .PreferredAntiAffinity(4, Term(kZone, {{"app", "noisy"}}));

  EXPECT_EQ(On(cluster, pod).RawScores(), (Numbers{{"a", 23}, {"b", 23}, {"bare", 0}, {"c", -4}}));
  EXPECT_EQ(On(cluster, pod).FinalScores(), (Numbers{{"a", 100}, {"b", 100}, {"bare", 14}, {"c", 0}}));
}

TEST(InterPodScore, PreferencesOfExistingPodsCount) {
  Cluster cluster;
  FourNodes(cluster);
  for (const char* name : {"x1", "x2"}) {
    Put(cluster, AppPod(name, "db").Node("a").PreferredAffinity(6, Term(kHost, {{"app", "web"}})));
  }
  Put(cluster, AppPod("y", "db").Node("c").PreferredAntiAffinity(9, Term(kZone, {{"app", "web"}})));

  EXPECT_EQ(On(cluster, AppPod("p", "web")).RawScores(), (Numbers{{"a", 12}, {"b", 0}, {"bare", 0}, {"c", -9}}));
}

TEST(InterPodScore, RequiredAffinityOfExistingPodsHasTheConfiguredWeight) {
  Cluster cluster;
  FourNodes(cluster);
  Put(cluster, AppPod("x", "db").Node("a").Affinity(Term(kZone, {{"app", "web"}})));

  EXPECT_EQ(On(cluster, AppPod("p", "web")).RawScores(), (Numbers{{"a", 1}, {"b", 1}, {"bare", 0}, {"c", 0}}));
  EXPECT_EQ(On(cluster, AppPod("p", "web"), 40).RawScores(), (Numbers{{"a", 40}, {"b", 40}, {"bare", 0}, {"c", 0}}));
  EXPECT_TRUE(On(cluster, AppPod("p", "web"), 0).PreScore().is_skip());
}

TEST(InterPodScore, ExistingPreferencesMayBeIgnoredForPodsWithoutOwn) {
  Cluster cluster;
  FourNodes(cluster);
  Put(cluster, AppPod("x", "db").Node("a").PreferredAffinity(6, Term(kHost, {{"app", "web"}})));

  EXPECT_TRUE(On(cluster, AppPod("p", "web"), 1, true).PreScore().is_skip());
  EXPECT_EQ(On(cluster, AppPod("p", "web").PreferredAffinity(2, Term(kHost, {{"app", "db"}})), 1, true).RawScores(),
            (Numbers{{"a", 8}, {"b", 0}, {"bare", 0}, {"c", 0}}));
}

TEST(InterPodScore, NamespaceSelectorsApply) {
  Cluster cluster;
  FourNodes(cluster);
  PutNamespace(cluster, "blue", {{"team", "blue"}});
  api::PodAffinityTerm term = Term(kHost, {{"app", "db"}});
  term.namespace_selector = MatchLabels({{"team", "blue"}});
  Put(cluster, AppPod("x", "db").Namespace("blue").Node("a"));
  Put(cluster, AppPod("y", "db").Node("b"));

  EXPECT_EQ(On(cluster, AppPod("p", "web").PreferredAffinity(1, term)).RawScores(),
            (Numbers{{"a", 1}, {"b", 0}, {"bare", 0}, {"c", 0}}));
}

}  // namespace
}  // namespace berth::plugins
