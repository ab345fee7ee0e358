// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/policy/policy.h"

namespace berth::config {
namespace {

using testing::StartsWith;

constexpr PolicyCompat kAllReleases[] = {PolicyCompat::kV116, PolicyCompat::kV121, PolicyCompat::kV122};

TEST(PolicyDecode, AbsentListsAreNotEmptyLists) {
  for (const PolicyCompat compat : kAllReleases) {
    const auto absent = DecodePolicy("apiVersion: v1\nkind: Policy\npriorities: ~\n", compat);
    const auto empty = DecodePolicy(R"({"apiVersion":"v1","predicates":[],"priorities":[]})", compat);

    ASSERT_TRUE(absent && empty);
    EXPECT_FALSE(absent->predicates || absent->priorities);
    EXPECT_TRUE(empty->predicates && empty->priorities);
  }
}

TEST(PolicyDecode, NothingAtAllIsAnEmptyPolicy) {
  for (const char* text : {"", "null", "{}", "  \n", "{\"kind\":\"Policy\"}"}) {
    for (const PolicyCompat compat : kAllReleases) EXPECT_EQ(DecodePolicy(text, compat), Policy()) << text;
  }
}

TEST(PolicyDecode, OnlyV116IgnoresUnknownAndRepeatedKeys) {
  for (const char* text : {R"({"apiVersion":"v1","surprise":1})", R"({"apiVersion":"v1","Predicates":[]})",
                           R"({"apiVersion":"v1","predicates":[],"predicates":[]})",
                           "apiVersion: v1\npredicates: [{name: HostName, name: HostName}]\n"}) {
    EXPECT_TRUE(DecodePolicy(text, PolicyCompat::kV116)) << text;
    const auto refused = DecodePolicy(text, PolicyCompat::kV122);
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().message, StartsWith("invalid policy: strict decoder error: "));
  }
}

TEST(PolicyDecode, ExtendersAreReadInAnyCaseWithTimeoutsInNanoseconds) {
  const auto policy = DecodePolicy(
      R"({"apiVersion":"v1","extenders":[{"URLPREFIX":"u","EnableHTTPS":true,"httptimeout":7,"surprise":{},
          "tlsConfig":{"Insecure":true},"managedResources":[{"Name":"a/b","IgnoredByScheduler":true}]},null]})",
      PolicyCompat::kV122);

  ASSERT_TRUE(policy);
  ASSERT_EQ(policy->extenders.size(), 2U);
  const framework::ExtenderConfiguration& extender = policy->extenders[0];
  EXPECT_EQ(extender.url_prefix, "u");
  EXPECT_EQ(extender.http_timeout, Duration{7});
  EXPECT_TRUE(extender.enable_https && extender.tls_config && extender.tls_config->insecure);
  EXPECT_TRUE(extender.managed_resources.at(0).ignored_by_scheduler);
}

TEST(PolicyDecode, WithoutApiVersionTheFieldsHaveTheNamesOfGoStructs) {
  const char* const kGoNames = "Predicates: [{Name: HostName}]\nExtenders: [{URLPrefix: u, HTTPTimeout: 3s}]\n";

  const auto policy = DecodePolicy(kGoNames, PolicyCompat::kV122);
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->predicates->at(0).name, "HostName");
  EXPECT_EQ(policy->extenders.at(0).http_timeout, Seconds(3));
  EXPECT_FALSE(DecodePolicy("predicates: [{name: HostName}]", PolicyCompat::kV122));
  EXPECT_EQ(DecodePolicy("predicates: [{name: HostName}]", PolicyCompat::kV116), Policy());
}

TEST(PolicyDecode, TheGroupOfComponentConfigurationsIsKnownAfterV116) {
  const char* const kText = R"({"kind":"Policy","apiVersion":"kubescheduler.config.k8s.io/v1"})";

  EXPECT_TRUE(DecodePolicy(kText, PolicyCompat::kV121));
  EXPECT_EQ(DecodePolicy(kText, PolicyCompat::kV116).error().message,
            "invalid policy: no kind \"Policy\" is registered for version \"kubescheduler.config.k8s.io/v1\" in scheme "
            "\"pkg/runtime/scheme.go:101\"");
}

TEST(PolicyDecode, NumbersOfShapesAreNarrowerAfterV116) {
  const char* const kText =
      R"({"apiVersion":"v1","hardPodAffinitySymmetricWeight":1,"priorities":[{"name":"P","weight":1,"argument":
          {"requestedToCapacityRatioArguments":{"shape":[{"utilization":4294967296,"score":0}]}}}]})";

  EXPECT_TRUE(DecodePolicy(kText, PolicyCompat::kV116));
  EXPECT_FALSE(DecodePolicy(kText, PolicyCompat::kV121));
}

}  // namespace
}  // namespace berth::config
