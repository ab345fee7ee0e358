// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/node_affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using framework::StatusCode;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr char kNoMatch[] = "UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector";
constexpr char kNotEnforced[] = "UnschedulableAndUnresolvable: node(s) didn't match scheduler-enforced node affinity";

std::unique_ptr<NodeAffinity> Make(std::optional<api::NodeAffinity> added = std::nullopt) {
  const framework::PluginArgs args = NodeAffinity::Args{.added_affinity = std::move(added), .selector_errors = {}};
  std::unique_ptr<framework::Plugin> plugin = NodeAffinity::Create({args, framework::FeatureGates()}).value();
  return std::unique_ptr<NodeAffinity>(static_cast<NodeAffinity*>(plugin.release()));
}

api::NodeSelectorTerm Expression(std::string key, std::string op, std::vector<std::string> values) {
  return {.match_expressions = {{std::move(key), std::move(op), std::move(values)}}, .match_fields = {}};
}

// A pod whose required terms ask for node names; each term is a list of values of its In requirements.
PodBuilder PodForNames(std::vector<std::vector<std::vector<std::string>>> terms) {
  PodBuilder pod("p");
  api::NodeSelector& selector = pod.raw().spec.affinity.emplace().node_affinity.emplace().required.emplace();
  for (const auto& requirements : terms) {
    api::NodeSelectorTerm& term = selector.terms.emplace_back();
    for (const auto& values : requirements) term.match_fields.push_back({"metadata.name", "In", values});
  }
  return pod;
}

void AddThreeNodes(cluster::Cluster& cluster) {
  cluster.AddNode(NodeBuilder("a").Label("disk", "ssd").Label("gen", "7"));
  cluster.AddNode(NodeBuilder("b").Label("disk", "ssd").Label("gen", "3"));
  cluster.AddNode(NodeBuilder("c").Label("disk", "hdd").Label("gen", "x"));
}

TEST(NodeAffinity, PodsWithoutRequirementsAreSkipped) {
  cluster::Cluster cluster;
  PluginTrial plain(cluster, PodBuilder("p").PreferredNodeAffinity(1, "disk", "Exists", {}));
  EXPECT_TRUE(Make()->PreFilter(plain.cycle()).status.is_skip());

  PodBuilder with_empty_selector("p");
  with_empty_selector.raw().spec.node_selector.emplace();
  PluginTrial empty(cluster, with_empty_selector);
  EXPECT_TRUE(Make()->PreFilter(empty.cycle()).status.ok());
  EXPECT_THAT(empty.Filter(*Make()), IsEmpty());
}

TEST(NodeAffinity, SelectorAndOneTermMustMatch) {
  cluster::Cluster cluster;
  AddThreeNodes(cluster);
  struct Case {
    PodBuilder pod;
    std::vector<std::string> rejected;
  };
  PodBuilder no_terms("p");
  no_terms.raw().spec.affinity.emplace().node_affinity.emplace().required.emplace();
  const Case cases[] = {
      {PodBuilder("p").NodeSelector("disk", "ssd"), {"c"}},
      {PodBuilder("p").NodeSelector("kubernetes.io/hostname", "b"), {"a", "c"}},
      {PodBuilder("p").NodeAffinity("disk", "NotIn", {"ssd"}).NodeAffinity("gen", "Gt", {"3"}), {"b"}},
      {PodBuilder("p").NodeAffinity("kubernetes.io/hostname", "In", {"a", "c"}).NodeSelector("disk", "ssd"),
       {"b", "c"}},
      {PodBuilder("p").NodeAffinity("disk", "Bad", {"ssd"}), {"a", "b", "c"}},
      {PodBuilder("p").NodeAffinity("disk", "Bad", {"ssd"}).NodeAffinity("gen", "Lt", {"4"}), {"a", "c"}},
      {PodForNames({{{"a"}}, {{"c"}}}), {"b"}},
      {PodForNames({{{"a", "b"}}}), {"a", "b", "c"}},
      {no_terms, {"a", "b", "c"}},
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE(i);
    const std::unique_ptr<NodeAffinity> plugin = Make();
    PluginTrial trial(cluster, cases[i].pod);

    EXPECT_TRUE(plugin->PreFilter(trial.cycle()).status.ok());
    std::vector<std::string> rejected;
    for (const auto& [node, reason] : trial.Filter(*plugin)) {
      rejected.push_back(node);
      EXPECT_EQ(reason, kNoMatch);
    }

    EXPECT_EQ(rejected, cases[i].rejected);
  }
}

TEST(NodeAffinity, TermsThatAskForNamesNarrowTheNodes) {
  using Names = std::optional<std::vector<std::string>>;
  struct Case {
    std::vector<std::vector<std::vector<std::string>>> terms;
    Names names;
    StatusCode code = StatusCode::kSuccess;
  };
  const Case cases[] = {
      {{{{"b"}}, {{"a"}}, {{"b"}}}, Names({"a", "b"})},
      {{{{"a", "b"}, {"b", "c"}}}, Names({"b"})},
      {{{{"a"}}, {}}, std::nullopt},
      {{{{"a"}, {"b"}}, {{"c"}}}, Names({"c"})},
      {{{{"a"}, {"b"}}}, std::nullopt, StatusCode::kUnschedulableAndUnresolvable},
      {{}, std::nullopt},
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE(i);
    cluster::Cluster cluster;
    PluginTrial trial(cluster, PodForNames(cases[i].terms));

    const framework::PreFilterResult result = Make()->PreFilter(trial.cycle());

    EXPECT_EQ(result.status.code, cases[i].code);
    EXPECT_EQ(result.node_names, cases[i].names);
    EXPECT_EQ(result.status.message(), result.status.ok() ? "" : "pod affinity terms conflict");
  }
}

TEST(NodeAffinity, AddedAffinityBindsEveryPod) {
  cluster::Cluster cluster;
  AddThreeNodes(cluster);
  api::NodeAffinity added;
  added.required = api::NodeSelector{{Expression("disk", "In", {"ssd"})}};
  added.preferred = {{.weight = 4, .preference = Expression("gen", "In", {"3"})}};
  const std::unique_ptr<NodeAffinity> plugin = Make(added);

  PluginTrial plain(cluster, PodBuilder("p"));
  EXPECT_TRUE(plugin->PreFilter(plain.cycle()).status.ok());
  EXPECT_THAT(plain.Filter(*plugin), ElementsAre(Pair("c", kNotEnforced)));
  EXPECT_TRUE(plugin->PreScore(plain.cycle(), plain.nodes()).ok());
  EXPECT_THAT(plain.Score(*plugin), ElementsAre(Pair("a", 0), Pair("b", 100), Pair("c", 0)));

  PluginTrial own(cluster, PodBuilder("p").NodeSelector("gen", "7").PreferredNodeAffinity(8, "gen", "Gt", {"5"}));
  EXPECT_THAT(own.Filter(*plugin), ElementsAre(Pair("b", kNoMatch), Pair("c", kNotEnforced)));
  EXPECT_TRUE(plugin->PreScore(own.cycle(), own.nodes()).ok());
  EXPECT_THAT(own.Score(*plugin), ElementsAre(Pair("a", 100), Pair("b", 50), Pair("c", 0)));
}

TEST(NodeAffinity, WeightsOfMatchingPreferredTermsAddUp) {
  cluster::Cluster cluster;
  AddThreeNodes(cluster);
  const std::unique_ptr<NodeAffinity> plugin = Make();
  PluginTrial trial(cluster, PodBuilder("p")
                                 .PreferredNodeAffinity(10, "disk", "In", {"ssd"})
                                 .PreferredNodeAffinity(5, "kubernetes.io/hostname", "In", {"b"})
                                 .PreferredNodeAffinity(0, "disk", "Bad", {}));

  EXPECT_TRUE(plugin->PreScore(trial.cycle(), trial.nodes()).ok());
  EXPECT_THAT(trial.Score(*plugin), ElementsAre(Pair("a", 66), Pair("b", 100), Pair("c", 0)));
}

TEST(NodeAffinity, PreferredTermsAreSkippedWhenAbsentAndFailWhenInvalid) {
  cluster::Cluster cluster;
  AddThreeNodes(cluster);
  const std::unique_ptr<NodeAffinity> plugin = Make();

  PluginTrial none(cluster, PodBuilder("p").NodeSelector("disk", "ssd"));
  EXPECT_TRUE(plugin->PreScore(none.cycle(), none.nodes()).is_skip());

  PodBuilder empty_list("p");
  empty_list.raw().spec.affinity.emplace().node_affinity.emplace().preferred.emplace();
  PluginTrial empty(cluster, empty_list);
  EXPECT_TRUE(plugin->PreScore(empty.cycle(), empty.nodes()).ok());
  EXPECT_THAT(empty.Score(*plugin), ElementsAre(Pair("a", 0), Pair("b", 0), Pair("c", 0)));

  PluginTrial invalid(cluster, PodBuilder("p").PreferredNodeAffinity(1, "disk", "In", {}));
  const framework::Status status = plugin->PreScore(invalid.cycle(), invalid.nodes());
  EXPECT_EQ(status.code, StatusCode::kError);
  EXPECT_EQ(
      status.message(),
      "[0].matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
}

TEST(NodeAffinity, InvalidAddedAffinityIsReported) {
  NodeAffinity::Args args;
  args.added_affinity.emplace().required = api::NodeSelector{{Expression("disk", "Bad", {"x"})}};
  const framework::PluginArgs any = args;

  const auto plugin = NodeAffinity::Create({any, framework::FeatureGates()});

  ASSERT_FALSE(plugin);
  EXPECT_TRUE(plugin.error().message.starts_with(
      "parsing addedAffinity.requiredDuringSchedulingIgnoredDuringExecution: nodeSelectorTerms[0].matchExpressions[0]"))
      << plugin.error().message;
}

}  // namespace
}  // namespace berth::plugins
