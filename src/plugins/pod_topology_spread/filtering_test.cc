// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "base/random.h"
#include "cluster/test_builders.h"
#include "plugins/helpers/test_run.h"
#include "plugins/helpers/test_topology.h"
#include "plugins/pod_topology_spread/domain_counts.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/pod_topology_spread/state.h"
#include "plugins/pod_topology_spread/test_pods.h"

namespace berth::plugins {
namespace {

using cluster::Cluster;
using cluster::MatchLabels;
using cluster::NodeBuilder;
using cluster::PodBuilder;

const std::string kSkew = "Unschedulable: node(s) didn't match pod topology spread constraints";
const std::string kMissing =
    "UnschedulableAndUnresolvable: node(s) didn't match pod topology spread constraints (missing required label)";

const PodTopologySpread& SpreadPlugin() {
  static const PodTopologySpread plugin{spread::Options{}};
  return plugin;
}

void AddPods(Cluster& cluster, const std::string& node, int count) {
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(cluster.AddPod(cluster.MakePod(Web(node + "-" + std::to_string(i)).Node(node))));
  }
}

// Nodes a and b in zone 1, c in zone 2, with 1, 1 and 0 pods of app=web.
void TwoZones(Cluster& cluster) {
  cluster.AddNode(NodeBuilder("a").Zone("1"));
  cluster.AddNode(NodeBuilder("b").Zone("1"));
  cluster.AddNode(NodeBuilder("c").Zone("2"));
  AddPods(cluster, "a", 1);
  AddPods(cluster, "b", 1);
}

Texts SpreadRejections(Cluster& cluster, const api::Pod& pod) {
  return TestRun<PodTopologySpread>(SpreadPlugin(), cluster, pod).Rejections();
}

PodBuilder Hard(int32_t max_skew, const std::string& key = kZone) {
  return Web("p").Spread(max_skew, key, "DoNotSchedule", {{"app", "web"}});
}

TEST(SpreadFilter, PodWithoutHardConstraintsSkips) {
  Cluster cluster;
  TwoZones(cluster);
  TestRun<PodTopologySpread> run(SpreadPlugin(), cluster,
                                 Web("p").Spread(1, kZone, "ScheduleAnyway", {{"app", "web"}}));

  EXPECT_TRUE(run.PreFilter().is_skip());
}

TEST(SpreadFilter, RejectsDomainsThatWouldExceedTheSkew) {
  Cluster cluster;
  TwoZones(cluster);

  EXPECT_EQ(SpreadRejections(cluster, Hard(1)), (Texts{{"a", kSkew}, {"b", kSkew}}));
  EXPECT_EQ(SpreadRejections(cluster, Hard(2)), (Texts{{"a", kSkew}, {"b", kSkew}}));
  EXPECT_EQ(SpreadRejections(cluster, Hard(3)), (Texts{}));
  EXPECT_EQ(SpreadRejections(cluster, Hard(1, kHost)), (Texts{{"a", kSkew}, {"b", kSkew}}));
}

TEST(SpreadFilter, ConstraintsThatShareAKeyCountApart) {
  Cluster cluster;
  TwoZones(cluster);
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(PodBuilder("db").Label("tier", "data").Node("c"))));

  // Of app=web zone 1 has two pods more, of tier=data zone 2 has one more.
  const PodBuilder pod = Web("p").Label("tier", "data").Spread(1, kZone, "DoNotSchedule", {{"app", "web"}});
  EXPECT_EQ(SpreadRejections(cluster, pod), (Texts{{"a", kSkew}, {"b", kSkew}}));
  PodBuilder both = pod;
  both.Spread(1, kZone, "DoNotSchedule", {{"tier", "data"}});
  EXPECT_EQ(SpreadRejections(cluster, both), (Texts{{"a", kSkew}, {"b", kSkew}, {"c", kSkew}}));
}

TEST(SpreadFilter, PodThatIsNotSelectedDoesNotCountItself) {
  Cluster cluster;
  TwoZones(cluster);
  const auto constraint = [](int32_t skew) {
    return PodBuilder("p").Spread(skew, kZone, "DoNotSchedule", {{"app", "web"}});
  };

  EXPECT_EQ(SpreadRejections(cluster, constraint(1)), (Texts{{"a", kSkew}, {"b", kSkew}}));
  EXPECT_EQ(SpreadRejections(cluster, constraint(2)), (Texts{}));
}

TEST(SpreadFilter, TerminatingPodsAndOtherNamespacesDoNotCount) {
  Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Zone("1"));
  cluster.AddNode(NodeBuilder("b").Zone("2"));
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(Web("x").Node("a").Terminating())));
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(Web("y").Node("a").Namespace("other"))));

  EXPECT_EQ(SpreadRejections(cluster, Hard(1)), (Texts{}));
}

TEST(SpreadFilter, NodeWithoutTheKeyIsRejectedAndDoesNotCount) {
  Cluster cluster;
  TwoZones(cluster);
  cluster.AddNode(NodeBuilder("bare"));
  AddPods(cluster, "bare", 5);

  EXPECT_EQ(SpreadRejections(cluster, Hard(3)), (Texts{{"bare", kMissing}}));
  // A node that lacks one key does not count for the other constraint either.
  EXPECT_EQ(SpreadRejections(cluster, Hard(5, kHost).Spread(3, kZone, "DoNotSchedule", {{"app", "web"}})),
            (Texts{{"bare", kMissing}}));
}

TEST(SpreadFilter, FirstConstraintThatFailsGivesTheReason) {
  Cluster cluster;
  TwoZones(cluster);
  api::Node bare = NodeBuilder("bare").Zone("1");
  bare.meta.labels.Remove(kHost);
  cluster.AddNode(bare);

  const api::Pod zone_first = Hard(1).Spread(9, kHost, "DoNotSchedule", {{"app", "web"}});
  const api::Pod host_first = Hard(9, kHost).Spread(1, kZone, "DoNotSchedule", {{"app", "web"}});

  EXPECT_EQ(SpreadRejections(cluster, zone_first), (Texts{{"a", kSkew}, {"b", kSkew}, {"bare", kSkew}}));
  EXPECT_EQ(SpreadRejections(cluster, host_first), (Texts{{"a", kSkew}, {"b", kSkew}, {"bare", kMissing}}));
}

TEST(SpreadFilter, TooFewDomainsMakeTheMinimumZero) {
  Cluster cluster;
  TwoZones(cluster);
  AddPods(cluster, "c", 2);
  api::TopologySpreadConstraint constraint = Hard(1).Build().spec.topology_spread_constraints[0];

  for (const auto& [min_domains, rejected] : std::map<int32_t, bool>{{1, false}, {2, false}, {3, true}}) {
    SCOPED_TRACE(min_domains);
    constraint.min_domains = min_domains;
    const Texts all = {{"a", kSkew}, {"b", kSkew}, {"c", kSkew}};

    EXPECT_EQ(SpreadRejections(cluster, Web("p").Spread(constraint)), rejected ? all : Texts());
  }
}

TEST(SpreadFilter, NodeAffinityPolicyDecidesWhetherExcludedNodesCount) {
  Cluster cluster;
  TwoZones(cluster);
  cluster.AddNode(NodeBuilder("d").Zone("3").Label("pool", "other"));
  AddPods(cluster, "c", 1);
  api::TopologySpreadConstraint constraint = Hard(2).Build().spec.topology_spread_constraints[0];
  PodBuilder pod = Web("p").NodeAffinity("pool", "DoesNotExist", {});

  constraint.node_affinity_policy = "Honor";
  EXPECT_EQ(SpreadRejections(cluster, PodBuilder(pod).Spread(constraint)), (Texts{}));
  constraint.node_affinity_policy = "Ignore";
  EXPECT_EQ(SpreadRejections(cluster, PodBuilder(pod).Spread(constraint)), (Texts{{"a", kSkew}, {"b", kSkew}}));
}

TEST(SpreadFilter, NodeTaintsPolicyDecidesWhetherTaintedNodesCount) {
  Cluster cluster;
  TwoZones(cluster);
  cluster.AddNode(NodeBuilder("d").Zone("3").Taint("gpu", "", "NoSchedule"));
  AddPods(cluster, "c", 1);
  api::TopologySpreadConstraint constraint = Hard(2).Build().spec.topology_spread_constraints[0];

  EXPECT_EQ(SpreadRejections(cluster, Web("p").Spread(constraint)), (Texts{{"a", kSkew}, {"b", kSkew}}));
  constraint.node_taints_policy = "Honor";
  EXPECT_EQ(SpreadRejections(cluster, Web("p").Spread(constraint)), (Texts{}));
  EXPECT_EQ(SpreadRejections(cluster, Web("p").Spread(constraint).Toleration("gpu")),
            (Texts{{"a", kSkew}, {"b", kSkew}}));
}

TEST(SpreadFilter, NodeOutsideTheCountedOnesIsMeasuredAsEmpty) {
  Cluster cluster;
  TwoZones(cluster);
  AddPods(cluster, "c", 1);
  cluster.AddNode(NodeBuilder("d").Zone("3").Label("pool", "other"));
  AddPods(cluster, "d", 7);

  EXPECT_EQ(SpreadRejections(cluster, Hard(2).NodeAffinity("pool", "DoesNotExist", {})), (Texts{}));
}

TEST(SpreadFilter, MatchLabelKeysSpreadEachVersionOnItsOwn) {
  Cluster cluster;
  TwoZones(cluster);
  api::TopologySpreadConstraint constraint = Hard(1).Build().spec.topology_spread_constraints[0];
  constraint.match_label_keys = {"version"};

  EXPECT_EQ(SpreadRejections(cluster, Web("p").Label("version", "2").Spread(constraint)), (Texts{}));
  EXPECT_EQ(SpreadRejections(cluster, Web("p").Spread(constraint)), (Texts{{"a", kSkew}, {"b", kSkew}}));
}

TEST(SpreadFilter, BadSelectorIsAnError) {
  Cluster cluster;
  TwoZones(cluster);
  api::TopologySpreadConstraint constraint = Hard(1).Build().spec.topology_spread_constraints[0];
  constraint.label_selector->match_expressions = {{"app", "Like", {"web"}}};
  TestRun<PodTopologySpread> run(SpreadPlugin(), cluster, Web("p").Spread(constraint));

  const framework::Status status = run.PreFilter();

  EXPECT_EQ(status.code, framework::StatusCode::kError);
  EXPECT_TRUE(
      status.message().starts_with("get constraints from pod: obtaining pod's hard topology spread constraints: "));
}

TEST(SpreadFilter, TakingAwayATerminatingPodBringsItsDomainBelowZero) {
  Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Zone("1"));
  cluster.AddNode(NodeBuilder("b").Zone("2"));
  const cluster::PodPtr leaving = cluster.MakePod(Web("x").Node("a").Terminating());
  ASSERT_TRUE(cluster.AddPod(leaving));
  TestRun<PodTopologySpread> run(SpreadPlugin(), cluster, Hard(1));
  ASSERT_EQ(run.Rejections(), (Texts{}));

  ASSERT_TRUE(SpreadPlugin().RemovePod(run.cycle(), *leaving, run.Slot("a")).ok());
  EXPECT_EQ(run.Filter(), (Texts{{"b", kSkew}}));

  ASSERT_TRUE(SpreadPlugin().AddPod(run.cycle(), *leaving, run.Slot("a")).ok());
  EXPECT_EQ(run.Filter(), (Texts{}));
}

// Whatever is added and taken away, the state answers as one made from scratch on a cluster with those pods.
TEST(SpreadFilter, AddAndRemoveAgreeWithCountingFromScratch) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    Cluster cluster;
    const uint64_t node_count = 2 + random.Below(8);
    for (uint64_t n = 0; n < node_count; ++n) {
      NodeBuilder node("n" + std::to_string(n));
      if (random.Below(8) != 0) node.Zone(std::to_string(random.Below(4)));
      if (random.Below(5) == 0) node.Taint("gpu", "", "NoSchedule");
      if (random.Below(5) == 0) node.Label("pool", "other");
      cluster.AddNode(node);
    }
    PodBuilder pod = Hard(static_cast<int32_t>(1 + random.Below(3)));
    if (random.Below(2) == 0) {
      api::TopologySpreadConstraint host = Hard(2, kHost).Build().spec.topology_spread_constraints[0];
      host.node_taints_policy = random.Below(2) == 0 ? "Honor" : "";
      pod.Spread(host).NodeAffinity("pool", "DoesNotExist", {});
    }
    TestRun<PodTopologySpread> changed(SpreadPlugin(), cluster, pod);
    ASSERT_TRUE(changed.PreFilter().ok());

    std::vector<std::pair<cluster::PodPtr, std::string>> placed;
    for (int step = 0; step < 40; ++step) {
      if (!placed.empty() && random.Below(3) == 0) {
        const size_t victim = random.Below(placed.size());
        ASSERT_TRUE(
            SpreadPlugin().RemovePod(changed.cycle(), *placed[victim].first, changed.Slot(placed[victim].second)).ok());
        ASSERT_TRUE(cluster.RemovePod(*placed[victim].first));
        placed.erase(placed.begin() + static_cast<std::ptrdiff_t>(victim));
      } else {
        const std::string node = "n" + std::to_string(random.Below(node_count));
        PodBuilder added("x" + std::to_string(step));
        added.Label("app", random.Below(4) == 0 ? "db" : "web").Node(node);
        placed.emplace_back(cluster.MakePod(added), node);
        ASSERT_TRUE(cluster.AddPod(placed.back().first));
        ASSERT_TRUE(SpreadPlugin().AddPod(changed.cycle(), *placed.back().first, changed.Slot(node)).ok());
      }
      ASSERT_EQ(changed.Filter(), SpreadRejections(cluster, pod)) << "step " << step;
    }
  }
}

TEST(DomainCounts, MinimumIsThatOfAllCountsAfterAnyChange) {
  Random random(3);
  spread::DomainCounts counts;
  EXPECT_EQ(counts.minimum(), spread::DomainCounts::kNone);
  std::map<cluster::DomainId, int32_t> expected;
  for (const cluster::DomainId domain : {0u, 2u, 3u, 5u}) {
    counts.AddNode(domain, static_cast<int32_t>(domain));
    expected[domain] = static_cast<int32_t>(domain);
  }

  for (int step = 0; step < 2000; ++step) {
    const auto domain = std::next(expected.begin(), static_cast<std::ptrdiff_t>(random.Below(4)))->first;
    const int32_t delta = random.Below(2) == 0 ? 1 : -1;
    counts.Change(domain, delta);
    expected[domain] += delta;
    if (random.Below(3) == 0) continue;
    int32_t minimum = spread::DomainCounts::kNone;
    for (const auto& [id, count] : expected) minimum = std::min(minimum, count);
    ASSERT_EQ(counts.minimum(), minimum) << "step " << step;
  }
  EXPECT_EQ(counts.count(1), 0);
  EXPECT_EQ(counts.domains(), 4u);
}

}  // namespace
}  // namespace berth::plugins
