// SPDX-License-Identifier: Apache-2.0
#include "server/access/rule_index.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kBindings = "rolebindings";
constexpr std::string_view kClusterBindings = "clusterrolebindings";

std::string BindingYaml(std::string_view name, std::string_view role, std::string_view subjects) {
  return "metadata: {name: " + std::string(name) + "}\nroleRef: {kind: ClusterRole, name: " + std::string(role) +
         "}\nsubjects: [" + std::string(subjects) + "]";
}

std::vector<std::string> NamesOf(const std::vector<HeldBinding>& bindings) {
  std::vector<std::string> names;
  for (const HeldBinding& binding : bindings) names.push_back(binding->name);
  return names;
}

User NamedUser(std::string name, std::vector<std::string> groups = {}) {
  return {.name = std::move(name), .uid = {}, .groups = std::move(groups), .extra = {}};
}

TEST(RuleIndex, FindsBindingsByUserGroupAndAccount) {
  TestCluster cluster(false);
  cluster.Create(kRbacGroup, kClusterBindings, BindingYaml("b", "r", "{kind: User, name: ann}"));
  const RuleIndex index(cluster.catalog, cluster.store);
  cluster.Create(kRbacGroup, kClusterBindings,
                 BindingYaml("a", "r", "{kind: Group, name: g}, {kind: User, name: ann}"));
  cluster.Create(kRbacGroup, kBindings, BindingYaml("c", "r", "{kind: ServiceAccount, name: robot}"));

  EXPECT_EQ(NamesOf(index.BindingsOf(NamedUser("ann", {"g"}), "")), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(NamesOf(index.BindingsOf(NamedUser("bob", {"g"}), "default")), std::vector<std::string>{"a"});
  EXPECT_TRUE(index.BindingsOf(NamedUser("g"), "").empty());
  const User robot = NamedUser("system:serviceaccount:default:robot");
  EXPECT_EQ(NamesOf(index.BindingsOf(robot, "default")), std::vector<std::string>{"c"});
  EXPECT_TRUE(index.BindingsOf(robot, "").empty());
  EXPECT_TRUE(index.BindingsOf(robot, "kube-system").empty());
}

TEST(RuleIndex, TellsTheFirstSubjectThatIsTheUser) {
  TestCluster cluster(false);
  const RuleIndex index(cluster.catalog, cluster.store);
  cluster.Create(kRbacGroup, kBindings,
                 BindingYaml("b", "r",
                             "{kind: Group, name: none}, {kind: Group, name: g}, {kind: User, name: ann}, "
                             "{kind: Group, name: g}, {kind: ServiceAccount, name: robot}"));
  const auto told = [&](const User& user) {
    const std::vector<HeldBinding> held = index.BindingsOf(user, "default");
    return held.size() == 1 ? held[0].Describe() : std::to_string(held.size());
  };

  EXPECT_EQ(told(NamedUser("ann", {"g"})), R"(RoleBinding "b/default" of ClusterRole "r" to Group "g")");
  EXPECT_EQ(told(NamedUser("ann", {"h"})), R"(RoleBinding "b/default" of ClusterRole "r" to User "ann")");
  EXPECT_EQ(told(NamedUser("system:serviceaccount:default:robot")),
            R"(RoleBinding "b/default" of ClusterRole "r" to ServiceAccount "robot/default")");
}

TEST(RuleIndex, FollowsRoles) {
  TestCluster cluster(false);
  const RuleIndex index(cluster.catalog, cluster.store);
  EXPECT_EQ(index.RulesOf("ClusterRole", "r", "default"), nullptr);
  cluster.Create(kRbacGroup, "clusterroles", "{metadata: {name: r}, rules: [{verbs: [get], nonResourceURLs: [/x]}]}");
  cluster.Create(kRbacGroup, "roles", "{metadata: {name: r}, rules: []}");

  ASSERT_NE(index.RulesOf("ClusterRole", "r", ""), nullptr);
  EXPECT_EQ(index.RulesOf("ClusterRole", "r", "")->at(0).urls, std::vector<std::string>{"/x"});
  EXPECT_TRUE(index.RulesOf("Role", "r", "default")->empty());
  EXPECT_EQ(index.RulesOf("Role", "r", "kube-system"), nullptr);
  cluster.Delete(kRbacGroup, "roles", "r");
  EXPECT_EQ(index.RulesOf("Role", "r", "default"), nullptr);
}

// Changes at random, and after each of them a scan of the store finds what the index does.
TEST(RuleIndex, FindsWhatAScanFinds) {
  TestCluster cluster(false);
  const RuleIndex index(cluster.catalog, cluster.store);
  Random random(7);
  const Resource& bindings = cluster.Get(kRbacGroup, kClusterBindings);
  const auto subject = [&] {
    return "{kind: " + std::string(random.Below(2) == 0 ? "User" : "Group") + ", name: n" +
           std::to_string(random.Below(4)) + "}";
  };
  for (int step = 0; step < 300; ++step) {
    const std::string name = "b" + std::to_string(random.Below(12));
    if (cluster.Find(kRbacGroup, kClusterBindings, name) == nullptr) {
      cluster.Create(bindings, BindingYaml(name, "r", subject() + ", " + subject()));
    } else if (random.Below(2) == 0) {
      cluster.Delete(kRbacGroup, kClusterBindings, name);
    } else {
      const Json next = TestCluster::Parse(bindings, BindingYaml(name, "r", subject()));
      cluster.Change(kRbacGroup, kClusterBindings, name,
                     [&](Json& binding) { binding.Set("subjects", next["subjects"]); });
    }
    const std::string asked = "n" + std::to_string(random.Below(4));
    std::vector<std::string> expected;
    for (const auto& [key, object] : cluster.store.All(bindings)) {
      const TreePtr tree = object->tree();
      const auto is_named = [&](const Json& each) {
        return each["kind"].text() == "Group" ? each["name"].text() == "n0" : each["name"].text() == asked;
      };
      if (std::ranges::any_of((*tree)["subjects"].items(), is_named)) expected.push_back(key);
    }
    EXPECT_EQ(NamesOf(index.BindingsOf(NamedUser(asked, {"n0"}), "default")), expected) << step;
  }
}

TEST(RuleIndex, KeepsNothingOfWhatHasGone) {
  TestCluster cluster(false);
  const RuleIndex index(cluster.catalog, cluster.store);
  for (const std::string_view name : {"a", "b"}) {
    cluster.Create(kRbacGroup, kBindings, BindingYaml(name, "r", "{kind: Group, name: g}, {kind: User, name: u}"));
  }
  EXPECT_EQ(index.subject_count(), 2U);

  cluster.Delete(kRbacGroup, kBindings, "a");
  EXPECT_EQ(index.subject_count(), 2U);
  cluster.Delete(kRbacGroup, kBindings, "b");
  EXPECT_EQ(index.subject_count(), 0U);
}

}  // namespace
}  // namespace berth::server
