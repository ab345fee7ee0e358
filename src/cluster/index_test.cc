// SPDX-License-Identifier: Apache-2.0
// The indexes that follow the pods agree with a scan, whatever happens to pods and nodes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "cluster/cluster.h"
#include "cluster/test_builders.h"
#include "cluster/test_indexes.h"

namespace berth::cluster {
namespace {

constexpr size_t kNodes = 8;
constexpr size_t kPods = 40;

// Makes random changes to a cluster through its public calls.
class RandomWorld {
 public:
  explicit RandomWorld(uint64_t seed) : random_(seed) {}

  Cluster cluster;

  void Step() {
    const std::string name = "p" + std::to_string(random_.Below(kPods));
    const PodPtr known = cluster.FindPod("uid-" + name);
    switch (random_.Below(8)) {
      case 0: return ChangeNode();
      case 1:
      case 2:
        if (known) std::ignore = cluster.RemovePod(*known);
        return;
      case 3:
        if (known) std::ignore = cluster.UpdatePod(*known, Pod(name, known->node_name));
        return;
      case 4: std::ignore = cluster.AssumePod(Pod(name, Pick("n", kNodes))); return;
      case 5:
        if (known) std::ignore = cluster.ForgetPod(*known);
        return;
      default: std::ignore = cluster.AddPod(Pod(name, Pick("n", kNodes))); return;
    }
  }

 private:
  std::string Pick(const char* prefix, size_t count) { return prefix + std::to_string(random_.Below(count)); }
  bool Chance(uint64_t one_in) { return random_.Below(one_in) == 0; }

  void ChangeNode() {
    const std::string name = Pick("n", kNodes);
    NodeBuilder node(name);
    if (!Chance(4)) node.Zone(Pick("z", 3));
    if (Chance(3)) node.Unschedulable();
    node.Allocatable("example.com/gpu", "2");
    NodeSlot slot;
    if (!cluster.nodes().Find(name, slot) || cluster.nodes().has_node[slot.index] == 0) return cluster.AddNode(node);
    const api::Node old_node = *cluster.nodes().node[slot.index];
    if (Chance(3)) {
      EXPECT_TRUE(cluster.RemoveNode(old_node));
    } else {
      cluster.UpdateNode(&old_node, node);
    }
  }

  PodPtr Pod(const std::string& name, const std::string& node) {
    PodBuilder pod(name);
    pod.Node(node).Namespace(Pick("ns", 2)).Label("app", Pick("a", 3)).Request("cpu", "100m");
    if (Chance(3)) pod.Label("tier", Pick("t", 2));
    if (Chance(4)) pod.Terminating();
    if (Chance(4)) pod.AntiAffinity(Term("topology.kubernetes.io/zone", {{"app", Pick("a", 3)}}));
    if (Chance(4)) pod.PreferredAffinity(5, RandomTerm());
    if (Chance(6)) pod.Affinity(RandomTerm()).PreferredAntiAffinity(7, RandomTerm());
    if (Chance(4)) pod.Request("example.com/gpu", "1");
    if (Chance(2)) pod.Priority(static_cast<int32_t>(random_.Below(3)));
    if (Chance(6)) pod.ContainerStatus("main", Amounts({{"cpu", "300m"}}), std::nullopt);
    return cluster.MakePod(pod);
  }

  // Of all the ways to select pods.
  api::PodAffinityTerm RandomTerm() {
    api::PodAffinityTerm term = Term(Chance(2) ? "kubernetes.io/hostname" : "topology.kubernetes.io/zone", {});
    if (Chance(2)) term.namespaces = {"ns0", "ns1"};
    if (Chance(4)) term.namespace_selector.emplace();
    const std::vector<std::string> some = {Pick("a", 3), Pick("a", 3)};
    switch (random_.Below(6)) {
      case 0: term.label_selector->match_labels = {{"app", some[0]}, {"tier", "t0"}}; break;
      case 1: term.label_selector->match_expressions = {{.key = "app", .op = "In", .values = some}}; break;
      case 2: term.label_selector->match_expressions = {{.key = "app", .op = "NotIn", .values = some}}; break;
      case 3: term.label_selector->match_expressions = {{.key = "tier", .op = "Exists", .values = {}}}; break;
      case 4: term.label_selector.reset(); break;
      default: break;  // Every pod.
    }
    return term;
  }

  Random random_;
};

std::vector<PodQuery> MakeQueries() {
  std::vector<PodQuery> queries;
  for (const char* app : {"a0", "a1"}) {
    for (const bool skip_terminating : {false, true}) {
      PodQuery query;
      query.namespaces = {"ns0"};
      query.selectors = {api::Selector::FromLabels({{"app", app}})};
      query.skip_terminating = skip_terminating;
      queries.push_back(query);
      query.all_namespaces = true;
      query.selectors.push_back(api::Selector::FromLabels({{"tier", "t0"}}));
      queries.push_back(query);
    }
  }
  PodQuery& some = queries.emplace_back();
  some.namespaces = {"ns0", "ns1"};
  some.selectors = {api::Selector::Compile(
                        api::LabelSelector{.match_labels = {},
                                           .match_expressions = {{.key = "app", .op = "In", .values = {"a0", "a2"}},
                                                                 {.key = "tier", .op = "NotIn", .values = {"t0"}}}})
                        .value()};
  queries.emplace_back(some).selectors.pop_back();
  queries.emplace_back();
  queries.back().all_namespaces = true;
  queries.emplace_back(queries.back()).selectors = {api::Selector::Nothing()};
  return queries;
}

const std::vector<PodQuery>& Queries() {
  static const std::vector<PodQuery> kQueries = MakeQueries();
  return kQueries;
}

void CheckCounters(const Cluster& cluster) {
  const NodeTable& nodes = cluster.nodes();
  for (const PodQuery& query : Queries()) {
    const auto counter = cluster.CountPods(query);
    ScannedCounts scanned;
    for (uint32_t i = 0; i < nodes.slot_limit(); ++i) {
      for (const PodPtr& pod : nodes.pods[i].pods) {
        if (query.Matches(*pod)) ++scanned[i];
      }
    }
    for (const char* key : {"topology.kubernetes.io/zone", "kubernetes.io/hostname"}) {
      ASSERT_TRUE(AreCounts(counter->pods(), scanned, key, nodes)) << query.Key();
    }
  }
}

void CheckRows(const Cluster& cluster) {
  const NodeTable& nodes = cluster.nodes();
  const std::shared_ptr<const TopologyKey> topology = nodes.Topology("topology.kubernetes.io/zone");
  const TopologyKey& zones = *topology;
  size_t unschedulable = 0;
  size_t with_node = 0;
  for (uint32_t i = 0; i < nodes.slot_limit(); ++i) {
    int64_t cpu = 0;
    for (const PodPtr& pod : nodes.pods[i].pods) cpu += pod->requests().cpu_milli;
    ASSERT_EQ(nodes.requested_cpu[i], cpu);
    ASSERT_EQ(nodes.pod_count[i], static_cast<int64_t>(nodes.pods[i].pods.size()));
    ASSERT_EQ(nodes.in_use[i] != 0, nodes.has_node[i] != 0 || !nodes.pods[i].pods.empty());
    unschedulable += nodes.unschedulable[i];
    with_node += nodes.has_node[i];
    const std::string* zone =
        nodes.has_node[i] != 0 ? nodes.node[i]->meta.labels.Find("topology.kubernetes.io/zone") : nullptr;
    const DomainId domain = zones.domain(NodeSlot{i});
    ASSERT_EQ(domain == kNoDomain, zone == nullptr);
    if (zone == nullptr) continue;
    ASSERT_EQ(zones.value(domain), *zone);
    ASSERT_EQ(zones.Find(*zone), domain);
  }
  ASSERT_EQ(nodes.unschedulable_count(), unschedulable);
  std::map<int32_t, size_t> priorities;
  for (uint32_t i = 0; i < nodes.slot_limit(); ++i) {
    for (const PodPtr& pod : nodes.pods[i].pods) ++priorities[pod->priority()];
  }
  const auto& kept = cluster.pod_priorities();
  ASSERT_TRUE(std::ranges::equal(
      kept, priorities, [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }));
  ASSERT_EQ(cluster.order().size(), with_node);
}

TEST(ClusterIndexes, AgreeWithAScanUnderRandomChanges) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    RandomWorld world(seed);
    for (int step = 0; step < 300; ++step) {
      world.Step();
      ASSERT_NO_FATAL_FAILURE(CheckCounters(world.cluster));
      ASSERT_TRUE(step % 5 != 0 || IsAffinityIndexRight(world.cluster));
      ASSERT_NO_FATAL_FAILURE(CheckRows(world.cluster));
    }
  }
}

TEST(PodCounters, DropsThoseNotAskedForLongest) {
  const NodeTable nodes;
  PodCounters counters(4);
  const auto query = [](int i) {
    PodQuery result;
    result.namespaces = {"ns" + std::to_string(i)};
    return result;
  };
  const auto old = counters.Get(query(0), nodes);
  for (int i = 1; i < 4; ++i) counters.Get(query(i), nodes);
  const auto young = counters.Get(query(4), nodes);

  EXPECT_EQ(counters.Get(query(4), nodes), young);
  EXPECT_NE(counters.Get(query(0), nodes), old);
}

TEST(PodQuery, KeyTellsQueriesApart) {
  std::vector<std::string> keys;
  for (const PodQuery& query : Queries()) keys.push_back(query.Key());
  std::ranges::sort(keys);

  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

TEST(Topology, IdsOfEmptyDomainsAreReused) {
  TopologyKey zones("zone");
  const std::string a = "a";
  const std::string b = "b";
  zones.Set(NodeSlot{0}, &a);
  zones.Set(NodeSlot{1}, &a);
  const DomainId id = zones.Find("a");

  zones.Set(NodeSlot{0}, &b);
  EXPECT_EQ(zones.Find("a"), id);
  zones.Set(NodeSlot{1}, nullptr);
  EXPECT_EQ(zones.Find("a"), kNoDomain);
  zones.Set(NodeSlot{1}, &a);

  EXPECT_EQ(zones.Find("a"), id);
  EXPECT_EQ(zones.domain_count(), 2U);
  EXPECT_EQ(zones.domain(NodeSlot{9}), kNoDomain);
}

}  // namespace
}  // namespace berth::cluster
