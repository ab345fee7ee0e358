// SPDX-License-Identifier: Apache-2.0
#include "server/access/impersonation.h"

#include <gtest/gtest.h>

#include <set>

namespace berth::server {
namespace {

// Lets in whoever has one of these verbs.
Impersonation::Authorize ByVerbs(std::set<std::string> verbs) {
  return [verbs = std::move(verbs)](const User&, const Attributes& wish) {
    return Decision{.is_allowed = verbs.contains(wish.verb), .reason = {}};
  };
}

const Attributes kListPods{.is_resource = true, .verb = "list", .resource = "pods"};

TEST(Impersonation, WithoutHeadersUsersStayWhoTheyAre) {
  Impersonation impersonation;
  const User ann{.name = "ann", .uid = {}, .groups = {"g"}, .extra = {}};

  const Outcome<User> actual = impersonation.Check(ann, {{"Accept", "x"}}, kListPods, ByVerbs({}));

  EXPECT_EQ(actual->name, "ann");
}

TEST(Impersonation, TheWayThatWorkedLastIsTriedFirst) {
  Impersonation impersonation;
  const User ann{.name = "ann", .uid = {}, .groups = {}, .extra = {}};
  const auto error_for = [&](const Impersonation::Authorize& authorize) {
    const Outcome<User> actual = impersonation.Check(ann, {{"impersonate-user", "bob"}}, kListPods, authorize);
    return actual ? actual->name : actual.error().message;
  };
  const std::string by_mode =
      "pods is forbidden: User \"ann\" cannot impersonate-on:user-info:list resource \"pods\" in API group \"\" at the "
      "cluster scope";
  EXPECT_EQ(error_for(ByVerbs({})), by_mode);

  EXPECT_EQ(error_for(ByVerbs({"impersonate"})), "bob");
  EXPECT_EQ(error_for(ByVerbs({})),
            "users \"bob\" is forbidden: User \"ann\" cannot impersonate resource \"users\" in API group \"\" at the "
            "cluster scope");
  EXPECT_EQ(error_for(ByVerbs({"impersonate:user-info", "impersonate-on:user-info:list"})), "bob");
  EXPECT_EQ(error_for(ByVerbs({})), by_mode);
}

TEST(Impersonation, AnAccountMayBeItsOwnNode) {
  Impersonation impersonation;
  User robot{.name = "system:serviceaccount:ns:robot", .uid = {}, .groups = {}, .extra = {}};
  const auto authorize = ByVerbs({"impersonate:associated-node", "impersonate-on:associated-node:list"});
  const std::vector<net::Header> headers{{"Impersonate-User", "system:node:n1"}};
  EXPECT_FALSE(impersonation.Check(robot, headers, kListPods, authorize));

  robot.extra["authentication.kubernetes.io/node-name"] = {"n1"};
  const Outcome<User> node = impersonation.Check(robot, headers, kListPods, authorize);

  ASSERT_TRUE(node);
  EXPECT_EQ(node->groups, (std::vector<std::string>{"system:nodes", "system:authenticated"}));
}

}  // namespace
}  // namespace berth::server
