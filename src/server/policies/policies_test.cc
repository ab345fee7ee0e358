// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

using testing::HasSubstr;

constexpr std::string_view kRegistration = "admissionregistration.k8s.io";

std::string PolicyYaml(const std::string& name, const std::string& expression) {
  return "metadata: {name: " + name +
         "}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [''], apiVersions: [v1], operations: "
         "['*'], resources: [configmaps]}\n  validations: [{expression: '" +
         expression + "'}]\n";
}

void Bind(TestCluster& cluster, const std::string& name, const std::string& more = "") {
  cluster.Create(
      kRegistration, "validatingadmissionpolicybindings",
      "metadata: {name: " + name + "}\nspec: {policyName: " + name + ", validationActions: [Deny]" + more + "}");
}

TEST(Policies, ExpressionsOfAPolicyAreBounded) {
  TestCluster cluster(false);
  const std::string longest = "true || object.x == \"" + std::string(90'000, 'x') + "\"";
  const std::string yaml = PolicyYaml("p", longest);
  std::string three = yaml;
  for (int i = 0; i < 2; ++i) {
    three.replace(three.rfind("}]"), 2, "}, {expression: '" + std::to_string(i) + " > 0 || " + longest + "'}]");
  }

  const Resource& resource = cluster.Get(kRegistration, "validatingadmissionpolicies");
  EXPECT_TRUE(cluster.TryCreate(resource, yaml));
  const auto refused = cluster.TryCreate(resource, three);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("bytes together, and may have 262144"));
}

TEST(Policies, ExpressionsCountAsOftenAsTheyStandThere) {
  TestCluster cluster(false);
  std::string yaml = PolicyYaml("p", std::string(1000, ' ') + "true");
  const std::string again = "{expression: '" + std::string(1000, ' ') + "true'}]";
  for (int i = 0; i < 300; ++i) yaml.replace(yaml.rfind(']'), 1, ", " + again);

  const auto refused = cluster.TryCreate(cluster.Get(kRegistration, "validatingadmissionpolicies"), yaml);

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("the expressions have 302204 bytes together, and may have 262144"));
}

// A policy with so many variables, each of which asks for the one before it, and the last one decides.
std::string ChainYaml(int count) {
  std::string yaml = PolicyYaml("p", "variables.v" + std::to_string(count - 1)) + "  variables:\n";
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    yaml += "  - {name: v" + number + ", expression: '" + (i == 0 ? "true" : "variables.v" + std::to_string(i - 1)) +
            "'}\n";
  }
  return yaml;
}

TEST(Policies, VariablesAreBounded) {
  const auto refusal = [](int count) {
    TestCluster cluster(false);
    const auto made = cluster.TryCreate(cluster.Get(kRegistration, "validatingadmissionpolicies"), ChainYaml(count));
    if (!made) return made.error().message;
    Bind(cluster, "p");
    const auto written = cluster.TryCreate(cluster.Get("", "configmaps"), "metadata: {name: c}");
    return written ? std::string() : written.error().message;
  };

  EXPECT_EQ(refusal(32), "");
  EXPECT_THAT(refusal(33), HasSubstr("too many variables ask for each other"));
  EXPECT_THAT(refusal(500), HasSubstr("too many variables ask for each other"));
  EXPECT_THAT(refusal(501), HasSubstr("spec.variables: Too many: 501: must have at most 500 items"));
}

TEST(Policies, WhatAllOfThemCostIsBounded) {
  TestCluster cluster(false);
  cluster.Create(
      kRegistration, "validatingadmissionpolicies",
      "metadata: {name: p}\nspec:\n  failurePolicy: Ignore\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n  "
      "matchConstraints:\n    resourceRules:\n    - {apiGroups: [''], apiVersions: [v1], operations: ['*'], "
      "resources: [secrets]}\n  validations: [{expression: 'params.data.t.contains(params.data.t)'}]\n");
  Bind(cluster, "p", ", paramRef: {selector: {matchLabels: {a: b}}, parameterNotFoundAction: Deny}");
  const std::string text(40'000, 'x');
  for (int i = 0; i < 13; ++i) {
    cluster.Create("", "configmaps",
                   "metadata: {name: c" + std::to_string(i) + ", labels: {a: b}}\ndata: {t: " + text + "}");
  }

  const auto refused = cluster.TryCreate(cluster.Get("", "secrets"), "metadata: {name: s}");

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("all policies together cost more than can be spent on one write"));
}

TEST(Policies, EvaluationsThatCostNothingAreBounded) {
  TestCluster cluster(false);
  std::string validations = "{expression: 'true'}";
  for (int i = 1; i < 2100; ++i) validations += ", {expression: 'true'}";
  cluster.Create(
      kRegistration, "validatingadmissionpolicies",
      "metadata: {name: p}\nspec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n  matchConstraints:\n    "
      "resourceRules:\n    - {apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [secrets]}\n  "
      "validations: [" +
          validations + "]\n");
  Bind(cluster, "p", ", paramRef: {selector: {matchLabels: {a: b}}, parameterNotFoundAction: Deny}");
  for (int i = 0; i < 121; ++i) {
    cluster.Create("", "configmaps", "metadata: {name: c" + std::to_string(i) + ", labels: {a: b}}");
  }

  const auto refused = cluster.TryCreate(cluster.Get("", "secrets"), "metadata: {name: s}");

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("all policies together cost more than can be spent on one write"));
}

TEST(Policies, AChangedPolicyCountsAtOnceAndADeletedOneNoMore) {
  TestCluster cluster(false);
  cluster.Create(kRegistration, "validatingadmissionpolicies", PolicyYaml("p", "false"));
  Bind(cluster, "p");
  const auto refused = [&] {
    return !cluster.TryCreate(cluster.Get("", "configmaps"), "metadata: {name: c}", {.dry_run = true});
  };

  EXPECT_TRUE(refused());
  cluster.Change(kRegistration, "validatingadmissionpolicies", "p", [](Json& policy) {
    policy.Make("spec").Make("validations").mutable_items()[0].Set("expression", "true");
  });
  EXPECT_FALSE(refused());
  cluster.Change(kRegistration, "validatingadmissionpolicies", "p", [](Json& policy) {
    policy.Make("spec").Make("validations").mutable_items()[0].Set("expression", "1 > 2");
  });
  EXPECT_TRUE(refused());
  ASSERT_TRUE(cluster.objects.Delete(cluster.Get(kRegistration, "validatingadmissionpolicies"), "", "p", {}));
  EXPECT_FALSE(refused());
}

TEST(Policies, SeeWhoAsks) {
  TestCluster cluster(false);
  cluster.Create(kRegistration, "validatingadmissionpolicies",
                 PolicyYaml("p", R"(request.userInfo.username == "ann" && request.userInfo.groups == ["g"])"));
  Bind(cluster, "p");
  const auto create = [&](const WhoAsks& user) {
    return cluster.TryCreate(cluster.Get("", "configmaps"), "metadata: {name: c}", {.user = user}).has_value();
  };
  const auto info = [](std::string_view name) {
    return [name] { return Json{{"username", Json::String(name)}, {"groups", Json::MakeList({Json::String("g")})}}; };
  };

  EXPECT_FALSE(create({}));  // The cluster itself.
  EXPECT_FALSE(create(info("bob")));
  EXPECT_TRUE(create(info("ann")));
  const Resource& maps = cluster.Get("", "configmaps");
  EXPECT_FALSE(cluster.objects.Delete(maps, "default", "c", {.user = info("bob")}));
  EXPECT_TRUE(cluster.objects.Delete(maps, "default", "c", {.user = info("ann")}));
}

TEST(Policies, LeaveEvictionsAlone) {
  TestCluster cluster(false);
  std::string yaml = PolicyYaml("p", "request.operation != \"DELETE\"");
  yaml.replace(yaml.find("configmaps"), 10, "pods");
  cluster.Create(kRegistration, "validatingadmissionpolicies", yaml);
  Bind(cluster, "p");
  cluster.Create("", "pods", "metadata: {name: a}\nspec: {containers: [{name: c, image: i}]}");

  EXPECT_FALSE(cluster.objects.Delete(cluster.Get("", "pods"), "default", "a", {}));
  const auto evicted =
      EvictPod(cluster.objects, "default", "a", Json{{"metadata", Json{{"name", Json::String("a")}}}}, false);
  EXPECT_TRUE(evicted) << evicted.error().message;
}

TEST(Policies, WarnAboutDeletions) {
  TestCluster cluster(false);
  cluster.Create(kRegistration, "validatingadmissionpolicies", PolicyYaml("p", "request.operation != \"DELETE\""));
  cluster.Create(kRegistration, "validatingadmissionpolicybindings",
                 "metadata: {name: b}\nspec: {policyName: p, validationActions: [Warn]}");
  cluster.Create("", "configmaps", "metadata: {name: c}");
  std::vector<std::string> warnings;

  cluster.Delete("", "configmaps", "c", {.warnings = &warnings});

  EXPECT_EQ(warnings, std::vector<std::string>{"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': "
                                               "failed expression: request.operation != \"DELETE\""});
}

}  // namespace
}  // namespace berth::server
