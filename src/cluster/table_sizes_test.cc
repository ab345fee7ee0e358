// SPDX-License-Identifier: Apache-2.0
// What pods and nodes have named and name no more is forgotten, and what many ask for once does not add up.

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/test_builders.h"

namespace berth::cluster {
namespace {

// Of each kind; builds without optimisation take a sample.
#ifdef __OPTIMIZE__
constexpr int kMany = 1'000'000;
#else
constexpr int kMany = 20'000;
#endif

size_t SizeOf(const Cluster& cluster, std::string_view table) {
  for (const TableSize& size : cluster.Sizes()) {
    if (size.table == table) return size.size;
  }
  ADD_FAILURE() << "no table is called " << table;
  return 0;
}

// The sizes without those of caches.
std::vector<std::pair<std::string, size_t>> Kept(const Cluster& cluster) {
  std::vector<std::pair<std::string, size_t>> kept;
  for (const auto& [table, size] : cluster.Sizes()) {
    if (!table.starts_with("topology") && !table.starts_with("pod counter")) kept.emplace_back(table, size);
  }
  return kept;
}

std::string Numbered(const char* prefix, int i) { return prefix + std::to_string(i); }

PodQuery AppQuery(int i) {
  PodQuery query;
  query.namespaces = {Numbered("ns", i)};
  query.selectors = {api::Selector::Compile(MatchLabels({{"app", Numbered("app", i)}})).value()};
  return query;
}

// A node and pods, of which everything that has a name has one of its own.
class Generation {
 public:
  static constexpr int kSize = 20;  // Of each kind.

  Generation(Cluster& cluster, int first) : cluster_(cluster) {
    NodeBuilder node(Numbered("node", first));
    node.Zone(Numbered("zone", first));
    for (int i = first; i < first + kSize; ++i) {
      node.Allocatable(Numbered("example.com/device", i), "1").Label(Numbered("example.com/label", i), "x");
      node.Taint(Numbered("example.com/taint", i), "", "NoSchedule").Image(Numbered("image", i), 1);
    }
    node_ = node;
    cluster.AddNode(node_);
    for (int i = first; i < first + kSize; ++i) AddPod(i);
    pending_ = cluster.MakePod(PodBuilder(Numbered("pending", first)));
    cluster.nominated.Set(pending_, node_.meta.name);
  }
  ~Generation() {
    for (const PodPtr& pod : pods_) {
      EXPECT_TRUE(cluster_.RemovePod(*pod));
      cluster_.objects.namespaces.Erase("", pod->ns());
    }
    cluster_.nominated.Remove(pending_->uid);
    EXPECT_TRUE(cluster_.RemoveNode(node_));
  }
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

 private:
  void AddPod(int i) {
    api::Namespace ns;
    ns.meta.name = Numbered("ns", i);
    cluster_.objects.namespaces.Put(ns);
    // Every other one is on a node that nobody else knows.
    PodBuilder pod(Numbered("pod", i));
    pod.Namespace(ns.meta.name).Node(i % 2 == 0 ? node_.meta.name : Numbered("unknown", i)).Label("app", ns.meta.name);
    pod.Claim(Numbered("claim", i)).Request(Numbered("example.com/resource", i), "1");
    pod.AntiAffinity(Term(Numbered("example.com/label", i), {{"app", ns.meta.name}}));
    pods_.push_back(cluster_.MakePod(pod));
    ASSERT_TRUE(cluster_.AddPod(pods_.back()));
  }

  Cluster& cluster_;
  api::Node node_;
  std::vector<PodPtr> pods_;
  PodPtr pending_;
};

TEST(TableSizes, WhatIsGoneIsForgotten) {
  Cluster cluster;
  cluster.AddNode(NodeBuilder("stays").Allocatable("example.com/gpu", "1"));
  (void)cluster.order();
  const auto before = Kept(cluster);

  std::deque<Generation> living;
  for (int i = 0; i < kMany; i += Generation::kSize) {
    living.emplace_back(cluster, i);
    if (living.size() > 2) living.pop_front();
    ASSERT_LE(cluster.resource_names().size(), size_t{6 * Generation::kSize + 1}) << i;
  }
  (void)cluster.order();
  EXPECT_NE(Kept(cluster), before);
  living.clear();
  (void)cluster.order();

  EXPECT_EQ(Kept(cluster), before);
}

TEST(TableSizes, PodsOnANodeThatStaysLeaveNothingBehind) {
  Cluster cluster;
  cluster.AddNode(NodeBuilder("n1"));
  const auto before = Kept(cluster);

  for (int i = 0; i < kMany; ++i) {
    const PodPtr pod = cluster.MakePod(PodBuilder("p").Node("n1").Request(Numbered("example.com/r", i), "1"));
    ASSERT_TRUE(cluster.AddPod(pod));
    ASSERT_TRUE(cluster.RemovePod(*pod));
    ASSERT_LE(cluster.resource_names().size(), kIdleScalarsMax + 1);
  }
  // The few names that a row remembers go with it.
  ASSERT_TRUE(cluster.RemoveNode(NodeBuilder("n1").Build()));
  cluster.AddNode(NodeBuilder("n1"));
  EXPECT_EQ(Kept(cluster), before);
}

TEST(TableSizes, QuestionsThatAreAskedNoMoreAreForgotten) {
  Cluster cluster;
  NodeBuilder node("n1");
  for (int i = 0; i < 1'000; ++i) node.Label(Numbered("example.com/k", i), "x");
  cluster.AddNode(node);
  const auto usual = [&] {
    (void)cluster.CountPods(AppQuery(0));
    (void)cluster.nodes().Topology("kubernetes.io/hostname");
  };
  usual();
  const TableSizes before = cluster.Sizes();

  for (int i = 0; i < kMany; ++i) {
    (void)cluster.CountPods(AppQuery(i));
    (void)cluster.nodes().Topology(Numbered("example.com/k", i));
  }
  EXPECT_LE(SizeOf(cluster, "pod counters"), 16'384U);
  EXPECT_LE(SizeOf(cluster, "topology keys"), 128U);
  for (int i = 0; i < 100'000; ++i) usual();

  EXPECT_EQ(cluster.Sizes(), before);
}

// The figures of a large cluster: by pod, not by node.
class LargeCluster : public testing::Test {
 protected:
  static constexpr int kNodes = 5'000;

  LargeCluster() {
    for (int i = 0; i < kNodes; ++i) {
      cluster_.AddNode(NodeBuilder(Numbered("node", i)).Capacity("64", "256Gi").Zone(Numbered("zone", i % 3)));
    }
  }
  Cluster cluster_;
};

TEST_F(LargeCluster, ResourceThatOnlyPodsNameHasNoColumn) {
  for (int i = 0; i < kNodes; ++i) {
    const PodBuilder pod =
        PodBuilder(Numbered("p", i)).Node(Numbered("node", i)).Request(Numbered("example.com/r", i), "1");
    ASSERT_TRUE(cluster_.AddPod(cluster_.MakePod(pod)));
  }

  EXPECT_EQ(SizeOf(cluster_, "resource columns"), 0U);
  EXPECT_EQ(SizeOf(cluster_, "resource names"), size_t{kNodes});
  EXPECT_EQ(SizeOf(cluster_, "resources requested in rows"), size_t{kNodes});
}

TEST_F(LargeCluster, TopologyKeyThatNoNodeHasIsNotKept) {
  for (int i = 0; i < 20'000; ++i) (void)cluster_.nodes().Topology(Numbered("example.com/k", i));

  EXPECT_EQ(SizeOf(cluster_, "topology keys"), 0U);
}

TEST_F(LargeCluster, CountersTakeRoomByThePodsTheyCount) {
  for (int i = 0; i < 10; ++i) {
    const PodBuilder pod =
        PodBuilder(Numbered("p", i)).Node(Numbered("node", i * 100)).Namespace("ns7").Label("app", "app7");
    ASSERT_TRUE(cluster_.AddPod(cluster_.MakePod(pod)));
  }
  for (int i = 0; i < 1'000; ++i) (void)cluster_.CountPods(AppQuery(i));

  EXPECT_EQ(SizeOf(cluster_, "pod counters"), 1'000U);
  EXPECT_LE(SizeOf(cluster_, "pod counter bytes"), size_t{1'000} * 512);
}

TEST_F(LargeCluster, CountersOfManyPodsAreBounded) {
  PodQuery query;
  query.namespaces = {"default"};
  for (int i = 0; i < kNodes; ++i) {
    ASSERT_TRUE(cluster_.AddPod(cluster_.MakePod(PodBuilder(Numbered("p", i)).Node(Numbered("node", i)))));
  }
  for (int i = 0; i < 1'000; ++i) {
    query.selectors = {
        api::Selector::Compile(
            api::LabelSelector{.match_labels = {},
                               .match_expressions = {{.key = Numbered("k", i), .op = "DoesNotExist", .values = {}}}})
            .value()};
    ASSERT_EQ(cluster_.CountPods(query)->total(), kNodes);
  }

  EXPECT_LE(SizeOf(cluster_, "pod counter bytes"), size_t{2'048 + 4 * 256} * kNodes + (1U << 20U));
}

TEST_F(LargeCluster, TermsTakeRoomByThePodsThatCarryThem) {
  for (int i = 0; i < 3'000; ++i) {
    PodBuilder pod(Numbered("p", i));
    pod.Node(Numbered("node", i)).Label("app", Numbered("app", i));
    pod.AntiAffinity(Term("kubernetes.io/hostname", {{"app", Numbered("app", i)}}));
    ASSERT_TRUE(cluster_.AddPod(cluster_.MakePod(pod)));
  }
  for (const auto& [id, term] : cluster_.affinity().terms()) (void)cluster_.affinity().PodsWith(id);

  EXPECT_EQ(SizeOf(cluster_, "affinity terms"), 3'000U);
  EXPECT_EQ(SizeOf(cluster_, "pod counters of terms"), 3'000U);
  EXPECT_LE(SizeOf(cluster_, "pod counters of terms bytes"), size_t{3'000} * 512);
}

}  // namespace
}  // namespace berth::cluster
