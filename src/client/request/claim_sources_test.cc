// SPDX-License-Identifier: Apache-2.0
#include "client/request/claim_sources.h"

#include <gtest/gtest.h>

namespace berth::client {
namespace {

constexpr std::string_view kClaim =
    R"({"metadata":{"name":"c","namespace":"n","uid":"u","resourceVersion":"5","labels":{"a":"b"},)"
    R"("managedFields":[{"manager":"m"}]},)"
    R"("spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1}}],)"
    R"("config":[{"opaque":{"driver":"d","parameters":{"any":[1,{"x":null}]}}}]}}})";

api::wire::EncodedObject Encoded(std::string_view text) { return {api::wire::Encoding::kJson, text}; }

TEST(ClaimSources, GivesTheWholeClaimOnce) {
  ClaimSources sources;

  sources.Keep("n", "c", Encoded(kClaim));

  EXPECT_EQ(
      sources.Take("n", "c"),
      R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1",)"
      R"("metadata":{"name":"c","namespace":"n","uid":"u","resourceVersion":"5","labels":{"a":"b"}},)"
      R"("spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1}}],)"
      R"("config":[{"opaque":{"driver":"d","parameters":{"any":[1,{"x":null}]}}}]}},"status":{}})");
  EXPECT_EQ(sources.Take("n", "c"), std::nullopt);
  EXPECT_EQ(sources.size(), 0u);
}

TEST(ClaimSources, KeepsTheLastVersionUntilItIsForgotten) {
  ClaimSources sources;
  sources.Keep("n", "c", Encoded(R"({"metadata":{"name":"c","resourceVersion":"5"}})"));
  sources.Keep("n", "c", Encoded(R"({"metadata":{"name":"c","resourceVersion":"6"}})"));
  sources.Keep("n", "d", Encoded(kClaim));
  sources.Forget("n", "d");

  EXPECT_EQ(sources.size(), 1u);
  EXPECT_NE(sources.Take("n", "c").value_or("").find(R"("resourceVersion":"6")"), std::string::npos);
  EXPECT_EQ(sources.Take("n", "d"), std::nullopt);
}

TEST(ClaimSources, BeyondTheBoundNewOnesAreNotKept) {
  ClaimSources sources(kClaim.size() + 10);

  sources.Keep("n", "a", Encoded(kClaim));
  sources.Keep("n", "b", Encoded(kClaim));
  EXPECT_EQ(sources.Take("n", "b"), std::nullopt);

  EXPECT_TRUE(sources.Take("n", "a"));
  sources.Keep("n", "b", Encoded(kClaim));
  EXPECT_TRUE(sources.Take("n", "b"));
}

TEST(ClaimSources, WhatCannotBeReadIsNoClaim) {
  ClaimSources sources;
  sources.Keep("n", "c", Encoded(R"({"metadata":7})"));
  EXPECT_EQ(sources.Take("n", "c"), std::nullopt);
}

}  // namespace
}  // namespace berth::client
