// SPDX-License-Identifier: Apache-2.0

#include "plugins/pod_topology_spread/constraints.h"

#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "plugins/helpers/default_selector.h"
#include "plugins/helpers/test_topology.h"

namespace berth::plugins::spread {
namespace {

using cluster::Cluster;
using cluster::MatchLabels;
using cluster::PodBuilder;

template <class T, class Selector>
void Put(cluster::ObjectStore<T>& store, const std::string& ns, const std::string& name, Selector selector) {
  T object;
  object.meta.ns = ns;
  object.meta.name = name;
  object.selector = std::move(selector);
  store.Put(std::move(object));
}

api::TopologySpreadConstraint Written(std::optional<api::LabelSelector> selector) {
  api::TopologySpreadConstraint written;
  written.max_skew = 1;
  written.topology_key = kZone;
  written.when_unsatisfiable = "DoNotSchedule";
  written.label_selector = std::move(selector);
  return written;
}

Options WithoutPolicies() {
  Options options;
  options.inclusion_policies = false;
  return options;
}
Options WithoutMatchLabelKeys() {
  Options options;
  options.match_label_keys = false;
  return options;
}

Constraint Only(const api::TopologySpreadConstraint& written, const Options& options = {}) {
  Cluster cluster;
  const cluster::PodPtr pod =
      cluster.MakePod(PodBuilder("p").Label("app", "web").Label("version", "2").Spread(written));
  return BuildConstraints(*pod, cluster.objects, options, Kind::kHard).value().at(0);
}

TEST(SpreadConstraints, UnsetFieldsHaveUpstreamsDefaults) {
  const Constraint constraint = Only(Written(MatchLabels({{"app", "web"}})));

  EXPECT_EQ(constraint.min_domains, 1);
  EXPECT_TRUE(constraint.honor_affinity);
  EXPECT_FALSE(constraint.honor_taints);
  EXPECT_EQ(constraint.selector.ToString(), "app=web");
}

TEST(SpreadConstraints, PoliciesAreTakenAsWrittenUnlessTheGateIsOff) {
  api::TopologySpreadConstraint written = Written(MatchLabels({{"app", "web"}}));
  written.node_affinity_policy = "Ignore";
  written.node_taints_policy = "Honor";

  const Constraint on = Only(written);
  const Constraint off = Only(written, WithoutPolicies());

  EXPECT_FALSE(on.honor_affinity);
  EXPECT_TRUE(on.honor_taints);
  EXPECT_TRUE(off.honor_affinity);
  EXPECT_FALSE(off.honor_taints);
}

TEST(SpreadConstraints, MatchLabelKeysAddThePodsValuesOfKeysItHas) {
  api::TopologySpreadConstraint written = Written(MatchLabels({{"app", "web"}}));
  written.match_label_keys = {"version", "absent"};

  EXPECT_EQ(Only(written).selector.ToString(), "app=web,version=2");
  EXPECT_EQ(Only(written, WithoutMatchLabelKeys()).selector.ToString(), "app=web");

  written.label_selector = std::nullopt;
  EXPECT_TRUE(Only(written).selector.matches_nothing());

  written.label_selector = api::LabelSelector();
  EXPECT_EQ(Only(written).selector.ToString(), "version=2");
}

TEST(SpreadConstraints, OnlyConstraintsOfTheKindAreTaken) {
  Cluster cluster;
  const cluster::PodPtr pod = cluster.MakePod(
      PodBuilder("p").Spread(1, "a", "DoNotSchedule", {{"x", "y"}}).Spread(2, "b", "ScheduleAnyway", {{"x", "y"}}));

  EXPECT_EQ(BuildConstraints(*pod, cluster.objects, {}, Kind::kHard).value().at(0).topology_key, "a");
  EXPECT_EQ(BuildConstraints(*pod, cluster.objects, {}, Kind::kSoft).value().at(0).topology_key, "b");
}

TEST(SpreadConstraints, SelectorThatDoesNotCompileIsReported) {
  api::LabelSelector selector;
  selector.match_expressions = {{"app", "Like", {"web"}}};
  Cluster cluster;
  const cluster::PodPtr pod = cluster.MakePod(PodBuilder("p").Spread(Written(selector)));

  const auto constraints = BuildConstraints(*pod, cluster.objects, {}, Kind::kHard);

  ASSERT_FALSE(constraints);
  EXPECT_TRUE(constraints.error().message.starts_with("obtaining pod's hard topology spread constraints: "));
}

TEST(SpreadConstraints, EmptySelectorCountsNoPod) {
  Cluster cluster;

  EXPECT_EQ(CountPods(Only(Written(api::LabelSelector())), "default", cluster), nullptr);
  EXPECT_EQ(CountPods(Only(Written(std::nullopt)), "default", cluster), nullptr);
  EXPECT_NE(CountPods(Only(Written(MatchLabels({{"app", "web"}}))), "default", cluster), nullptr);
}

Options WithDefaults() {
  api::TopologySpreadConstraint written = Written(std::nullopt);
  written.when_unsatisfiable = "ScheduleAnyway";
  Options options;
  options.default_constraints = {written};
  return options;
}

TEST(SpreadConstraints, DefaultsNeedASelector) {
  Cluster cluster;
  const cluster::PodPtr pod = cluster.MakePod(PodBuilder("p").Label("app", "web"));

  EXPECT_TRUE(BuildConstraints(*pod, cluster.objects, WithDefaults(), Kind::kSoft).value().empty());

  Put(cluster.objects.services, "default", "s", api::Labels{{"app", "web"}});
  EXPECT_EQ(BuildConstraints(*pod, cluster.objects, WithDefaults(), Kind::kSoft).value().at(0).selector.ToString(),
            "app=web");
  EXPECT_TRUE(BuildConstraints(*pod, cluster.objects, WithDefaults(), Kind::kHard).value().empty());
}

TEST(SpreadConstraints, DefaultsAreForPodsWithoutOwnConstraints) {
  Cluster cluster;
  Put(cluster.objects.services, "default", "s", api::Labels{{"app", "web"}});
  const cluster::PodPtr pod =
      cluster.MakePod(PodBuilder("p").Label("app", "web").Spread(Written(MatchLabels({{"app", "web"}}))));

  EXPECT_TRUE(BuildConstraints(*pod, cluster.objects, WithDefaults(), Kind::kSoft).value().empty());
}

TEST(DefaultSelector, JoinsServicesAndController) {
  Cluster cluster;
  cluster::Objects& objects = cluster.objects;
  Put(objects.services, "default", "a", api::Labels{{"app", "web"}});
  Put(objects.services, "default", "b", api::Labels{{"tier", "front"}});
  Put(objects.services, "default", "other", api::Labels{{"app", "db"}});
  Put(objects.services, "default", "nil", std::nullopt);
  Put(objects.services, "elsewhere", "a", api::Labels{{"x", "y"}});
  Put(objects.replica_sets, "default", "rs", MatchLabels({{"hash", "1"}}));
  Put(objects.stateful_sets, "default", "ss", MatchLabels({{"set", "1"}}));
  Put(objects.stateful_sets, "default", "nil", std::nullopt);
  Put(objects.replication_controllers, "default", "rc", api::Labels{{"rc", "1"}});
  struct Case {
    const char* kind;
    const char* name;
    const char* version;
    const char* selector;
  };

  for (const Case& c : std::initializer_list<Case>{
           {"", "", "", "app=web,tier=front"},
           {"ReplicaSet", "rs", "apps/v1", "app=web,hash=1,tier=front"},
           {"ReplicaSet", "rs", "v1", "app=web,tier=front"},
           {"ReplicaSet", "gone", "apps/v1", "app=web,tier=front"},
           {"StatefulSet", "ss", "apps/v1", "app=web,set=1,tier=front"},
           {"StatefulSet", "nil", "apps/v1", "app=web,tier=front"},
           {"ReplicationController", "rc", "v1", "app=web,rc=1,tier=front"},
           {"Job", "job", "batch/v1", "app=web,tier=front"},
       }) {
    SCOPED_TRACE(std::string(c.kind) + " " + c.name);
    PodBuilder builder("p");
    builder.Label("app", "web").Label("tier", "front").Label("x", "y");
    if (*c.kind != '\0') builder.Owner(c.kind, c.name, "owner", c.version);

    EXPECT_EQ(DefaultSelector(*cluster.MakePod(builder), objects).ToString(), c.selector);
  }
}

}  // namespace
}  // namespace berth::plugins::spread
