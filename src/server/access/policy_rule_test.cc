// SPDX-License-Identifier: Apache-2.0
#include "server/access/policy_rule.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

TEST(PolicyRule, AllowsPathsBySuffix) {
  const PolicyRule rule{.verbs = {"get"}, .groups = {}, .resources = {}, .names = {}, .urls = {"/a/*", "/b"}};
  const auto allows = [&](std::string_view path, std::string_view verb = "get") {
    return Allows(rule, {.verb = std::string(verb), .path = std::string(path)});
  };

  EXPECT_TRUE(allows("/a/"));
  EXPECT_TRUE(allows("/a/x/y"));
  EXPECT_TRUE(allows("/b"));
  EXPECT_FALSE(allows("/a"));
  EXPECT_FALSE(allows("/b/x"));
  EXPECT_FALSE(allows("/b", "post"));
}

TEST(PolicyRule, ARuleOfResourcesAllowsNoPath) {
  const PolicyRule all{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}, .names = {}, .urls = {}};

  EXPECT_FALSE(Allows(all, {.verb = "get", .path = "/metrics"}));
  EXPECT_TRUE(Allows(all, {.is_resource = true, .verb = "get", .resource = "pods", .subresource = "log"}));
}

TEST(PolicyRule, SaysWhatIsMissing) {
  const PolicyRules held{
      {.verbs = {"get"}, .groups = {""}, .resources = {"pods", "*/status"}, .names = {}, .urls = {}}};
  const PolicyRules asked{
      {.verbs = {"get", "list"}, .groups = {""}, .resources = {"pods", "nodes/status"}, .names = {}, .urls = {}},
      {.verbs = {"get"}, .groups = {}, .resources = {}, .names = {}, .urls = {"/x"}}};

  EXPECT_EQ(Missing(held, asked),
            "{APIGroups:[\"\"], Resources:[\"nodes/status\"], Verbs:[\"list\"]}\n"
            "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"list\"]}\n"
            "{NonResourceURLs:[\"/x\"], Verbs:[\"get\"]}");
  EXPECT_EQ(Missing(held, held), "");
}

TEST(PolicyRule, RightsWithoutEndAreNotCompared) {
  const std::vector<std::string> many(1000, "x");
  const PolicyRule rule{.verbs = many, .groups = many, .resources = many, .names = many, .urls = {}};

  EXPECT_EQ(Missing({}, {rule}), std::nullopt);
  EXPECT_EQ(Missing({rule}, {rule}), std::nullopt);
}

}  // namespace
}  // namespace berth::server
