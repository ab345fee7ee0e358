// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "base/random.h"
#include "cluster/test_builders.h"
#include "plugins/helpers/test_run.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/inter_pod_affinity/own_terms.h"
#include "plugins/inter_pod_affinity/test_cluster.h"

namespace berth::plugins {
namespace {

using cluster::Cluster;
using cluster::MatchLabels;
using cluster::NodeBuilder;
using cluster::PodBuilder;
using cluster::Term;

const std::string kAffinity = "UnschedulableAndUnresolvable: node(s) didn't match pod affinity rules";
const std::string kAnti = "Unschedulable: node(s) didn't match pod anti-affinity rules";
const std::string kExisting = "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules";

const InterPodAffinity& Plugin() {
  static const InterPodAffinity plugin{InterPodAffinity::Args{}};
  return plugin;
}

Texts Rejections(Cluster& cluster, const api::Pod& pod) {
  return TestRun<InterPodAffinity>(Plugin(), cluster, pod).Rejections();
}

TEST(InterPodFilter, PodThatNothingConcernsSkips) {
  Cluster cluster;
  FourNodes(cluster);
  Put(cluster, AppPod("x", "db").Node("a").AntiAffinity(Term(kZone, {{"app", "db"}})));

  EXPECT_TRUE(TestRun<InterPodAffinity>(Plugin(), cluster, AppPod("p", "web")).PreFilter().is_skip());
}

TEST(InterPodFilter, AffinityNeedsAMatchingPodInTheDomain) {
  Cluster cluster;
  FourNodes(cluster);
  Put(cluster, AppPod("x", "db").Node("a"));

  EXPECT_EQ(Rejections(cluster, AppPod("p", "web").Affinity(Term(kZone, {{"app", "db"}}))),
            (Texts{{"c", kAffinity}, {"bare", kAffinity}}));
  EXPECT_EQ(Rejections(cluster, AppPod("p", "web").Affinity(Term(kHost, {{"app", "db"}}))),
            (Texts{{"b", kAffinity}, {"c", kAffinity}, {"bare", kAffinity}}));
}

TEST(InterPodFilter, OnePodMustMatchAllAffinityTerms) {
  Cluster cluster;
  FourNodes(cluster);
  Put(cluster, AppPod("x", "db").Node("a"));
  Put(cluster, PodBuilder("y").Label("tier", "back").Node("a"));
  const api::Pod pod =
      AppPod("p", "web").Affinity(Term(kZone, {{"app", "db"}})).Affinity(Term(kHost, {{"tier", "back"}}));
  const Texts everywhere = {{"a", kAffinity}, {"b", kAffinity}, {"c", kAffinity}, {"bare", kAffinity}};

  EXPECT_EQ(Rejections(cluster, pod), everywhere);

  Put(cluster, AppPod("z", "db").Label("tier", "back").Node("b"));
  EXPECT_EQ(Rejections(cluster, pod), (Texts{{"a", kAffinity}, {"c", kAffinity}, {"bare", kAffinity}}));
}

TEST(InterPodFilter, FirstPodOfASeriesMayGoAnywhereWithTheKey) {
  Cluster cluster;
  FourNodes(cluster);
  const api::Pod pod = AppPod("p", "web").Affinity(Term(kZone, {{"app", "web"}}));

  EXPECT_EQ(Rejections(cluster, pod), (Texts{{"bare", kAffinity}}));

  // A match where no node has the key is no match.
  Put(cluster, AppPod("x", "web").Node("bare"));
  EXPECT_EQ(Rejections(cluster, pod), (Texts{{"bare", kAffinity}}));

  Put(cluster, AppPod("y", "web").Node("c"));
  EXPECT_EQ(Rejections(cluster, pod), (Texts{{"a", kAffinity}, {"b", kAffinity}, {"bare", kAffinity}}));
}

TEST(InterPodFilter, TerminatingPodsCount) {
  Cluster cluster;
  FourNodes(cluster);
  Put(cluster, AppPod("x", "db").Node("a").Terminating());

  EXPECT_EQ(Rejections(cluster, AppPod("p", "web").AntiAffinity(Term(kZone, {{"app", "db"}}))),
            (Texts{{"a", kAnti}, {"b", kAnti}}));
}

TEST(InterPodFilter, AntiAffinityKeepsAwayFromEachTermsMatches) {
  Cluster cluster;
  FourNodes(cluster);
  Put(cluster, AppPod("x", "db").Node("a"));
  Put(cluster, AppPod("y", "cache").Node("c"));
  Put(cluster, AppPod("z", "cache").Node("bare"));

  EXPECT_EQ(
      Rejections(
          cluster,
          AppPod("p", "web").AntiAffinity(Term(kHost, {{"app", "db"}})).AntiAffinity(Term(kZone, {{"app", "cache"}}))),
      (Texts{{"a", kAnti}, {"c", kAnti}}));
}

TEST(InterPodFilter, ExistingAntiAffinityIsHonouredAndComesLast) {
  Cluster cluster;
  FourNodes(cluster);
  Put(cluster, AppPod("x", "db").Node("a").AntiAffinity(Term(kZone, {{"app", "web"}})));
  Put(cluster, AppPod("y", "db").Node("c"));

  EXPECT_EQ(Rejections(cluster, AppPod("p", "web")), (Texts{{"a", kExisting}, {"b", kExisting}}));
  EXPECT_EQ(Rejections(cluster, AppPod("p", "web").AntiAffinity(Term(kHost, {{"app", "db"}}))),
            (Texts{{"a", kAnti}, {"b", kExisting}, {"c", kAnti}}));
  EXPECT_EQ(Rejections(cluster, AppPod("p", "web").Affinity(Term(kHost, {{"app", "db"}}))),
            (Texts{{"a", kExisting}, {"b", kAffinity}, {"bare", kAffinity}}));
}

TEST(InterPodFilter, NamespacesOfATermAreListedOrSelected) {
  Cluster cluster;
  FourNodes(cluster);
  PutNamespace(cluster, "blue", {{"team", "blue"}});
  PutNamespace(cluster, "red", {{"team", "red"}});
  Put(cluster, AppPod("x", "db").Namespace("blue").Node("a"));
  Put(cluster, AppPod("y", "db").Namespace("red").Node("c"));
  Put(cluster, AppPod("z", "db").Namespace("unknown").Node("bare"));
  api::PodAffinityTerm term = Term(kHost, {{"app", "db"}});
  const auto rejections = [&] { return Rejections(cluster, AppPod("p", "web").AntiAffinity(term)); };

  EXPECT_EQ(rejections(), (Texts{}));
  term.namespaces = {"red"};
  EXPECT_EQ(rejections(), (Texts{{"c", kAnti}}));
  term.namespace_selector = MatchLabels({{"team", "blue"}});
  EXPECT_EQ(rejections(), (Texts{{"a", kAnti}, {"c", kAnti}}));
  term.namespaces = {};
  EXPECT_EQ(rejections(), (Texts{{"a", kAnti}}));
  term.namespace_selector = api::LabelSelector();
  EXPECT_EQ(rejections(), (Texts{{"a", kAnti}, {"bare", kAnti}, {"c", kAnti}}));
}

TEST(InterPodFilter, NamespaceSelectorOfAnExistingPodLooksAtTheIncomingPodsNamespace) {
  Cluster cluster;
  FourNodes(cluster);
  PutNamespace(cluster, "blue", {{"team", "blue"}});
  api::PodAffinityTerm term = Term(kHost, {{"app", "web"}});
  term.namespace_selector = MatchLabels({{"team", "blue"}});
  Put(cluster, AppPod("x", "db").Node("a").AntiAffinity(term));

  EXPECT_EQ(Rejections(cluster, AppPod("p", "web").Namespace("blue")), (Texts{{"a", kExisting}}));
  EXPECT_EQ(Rejections(cluster, AppPod("p", "web")), (Texts{}));
}

TEST(InterPodFilter, TermThatDoesNotCompileIsUnresolvable) {
  Cluster cluster;
  FourNodes(cluster);
  api::PodAffinityTerm term = Term(kHost, {});
  term.label_selector->match_expressions = {{"app", "Like", {"web"}}};

  const framework::Status status =
      TestRun<InterPodAffinity>(Plugin(), cluster, AppPod("p", "web").Affinity(term)).PreFilter();

  EXPECT_EQ(status.code, framework::StatusCode::kUnschedulableAndUnresolvable);
  EXPECT_TRUE(status.message().starts_with("parsing pod: requiredAffinityTerms: "));
}

TEST(OwnTerms, AllTermsTogetherNarrowNamespaces) {
  const Cluster cluster;
  cluster::AffinityTerm open;
  open.namespace_selector = api::Selector::Everything();
  cluster::AffinityTerm two;
  two.namespaces = {"a", "b"};
  cluster::AffinityTerm other;
  other.namespaces = {"b", "c"};

  EXPECT_TRUE(interpod::MatchesAllTerms({open, open}, cluster.objects.namespaces).all_namespaces);
  EXPECT_EQ(interpod::MatchesAllTerms({open, two}, cluster.objects.namespaces).namespaces,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(interpod::MatchesAllTerms({two, other, open}, cluster.objects.namespaces).namespaces,
            (std::vector<std::string>{"b"}));
}

// A pod with some of a few labels and, perhaps, terms about them.
PodBuilder RandomPod(const std::string& name, Random& random) {
  const auto app = [&] { return std::string(1, static_cast<char>('a' + random.Below(3))); };
  const auto key = [&] { return std::string(random.Below(2) == 0 ? kZone : kHost); };
  PodBuilder pod = AppPod(name, app());
  if (random.Below(3) == 0) pod.Affinity(Term(key(), {{"app", app()}}));
  if (random.Below(6) == 0) pod.Affinity(Term(kZone, {{"app", app()}}));
  if (random.Below(3) == 0) pod.AntiAffinity(Term(key(), {{"app", app()}}));
  if (random.Below(6) == 0) pod.AntiAffinity(Term(key(), {{"app", app()}}));
  return pod;
}

TEST(InterPodFilter, AddAndRemoveAgreeWithCountingFromScratch) {
  Random random(11);
  int compared = 0;
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    Cluster cluster;
    const uint64_t node_count = 2 + random.Below(6);
    for (uint64_t n = 0; n < node_count; ++n) {
      NodeBuilder node("n" + std::to_string(n));
      if (random.Below(6) != 0) node.Zone(std::to_string(random.Below(3)));
      cluster.AddNode(node);
    }
    const api::Pod pod = RandomPod("p", random);
    TestRun<InterPodAffinity> changed(Plugin(), cluster, pod);
    if (!changed.PreFilter().ok()) continue;

    std::vector<std::pair<cluster::PodPtr, std::string>> placed;
    for (int step = 0; step < 30; ++step) {
      if (!placed.empty() && random.Below(2) == 0) {
        const auto [victim, node] = placed[random.Below(placed.size())];
        ASSERT_TRUE(Plugin().RemovePod(changed.cycle(), *victim, changed.Slot(node)).ok());
        ASSERT_TRUE(cluster.RemovePod(*victim));
        std::erase_if(placed, [&](const auto& entry) { return entry.first == victim; });
      } else {
        const std::string node = "n" + std::to_string(random.Below(node_count));
        placed.emplace_back(cluster.MakePod(RandomPod("x" + std::to_string(step), random).Node(node)), node);
        ASSERT_TRUE(cluster.AddPod(placed.back().first));
        ASSERT_TRUE(Plugin().AddPod(changed.cycle(), *placed.back().first, changed.Slot(node)).ok());
      }
      ASSERT_EQ(changed.Filter(), Rejections(cluster, pod)) << "step " << step;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace berth::plugins
