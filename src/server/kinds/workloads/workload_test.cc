// SPDX-License-Identifier: Apache-2.0
// What a reader relies on in small; tests/kinds compares the rest with upstream.
#include "server/kinds/workloads/workload.h"

#include <gtest/gtest.h>

#include "server/kinds/kinds.h"
#include "server/model/test_tree.h"

namespace berth::server {
namespace {

Json NewJob(std::string_view labels) {
  Json job = TreeOf(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","uid":"u"},
      "spec":{"template":{"metadata":{},"spec":{"containers":[{"name":"c","image":"a","resources":{}}]}}}})");
  job.Make("metadata").Set("labels", TreeOf(labels));
  const auto strategy = MakeJobStrategy();
  strategy->Default(job, true);
  strategy->PrepareCreate(job);
  return job;
}

TEST(Workload, AmountsAreNumbersOrPercents) {
  EXPECT_EQ(NumberOf(Json::Int(3)), 3);
  EXPECT_EQ(NumberOf(Json::String("25%")), 25);
  FieldErrors errors;
  ValidateAtMostAll(Json::String("101%"), FieldPath("x"), errors);
  ValidateIntOrPercent(Json::String("x"), FieldPath("y"), errors);
  ASSERT_EQ(errors.all().size(), 2U);
  EXPECT_EQ(errors.all()[0].message, R"(Invalid value: "101%": must not be greater than 100%)");
}

TEST(Workload, SelectorsMatchLabels) {
  const Json labels = TreeOf(R"({"app":"x"})");
  EXPECT_TRUE(SelectorMatches(TreeOf(R"({"matchLabels":{"app":"x"}})"), labels));
  EXPECT_FALSE(SelectorMatches(TreeOf(R"({"matchLabels":{"app":"y"}})"), labels));
  EXPECT_FALSE(SelectorMatches(Json(), labels));
  EXPECT_FALSE(IsReadable(TreeOf(R"({"matchExpressions":[{"key":"a","operator":"Q"}]})")));
}

TEST(Workload, JobsSelectTheirPodsByUid) {
  const Json job = NewJob("{}");
  EXPECT_EQ(job["spec"]["selector"], TreeOf(R"({"matchLabels":{"batch.kubernetes.io/controller-uid":"u"}})"));
  EXPECT_EQ(job["spec"]["template"]["metadata"]["labels"]["job-name"].text(), "j");
  EXPECT_EQ(job["metadata"]["labels"], job["spec"]["template"]["metadata"]["labels"]);
  EXPECT_EQ(NewJob(R"({"a":"b"})")["metadata"]["labels"], TreeOf(R"({"a":"b"})"));
}

TEST(Workload, AnnotationsOfDeploymentsCountAsChange) {
  const Json old = TreeOf(R"({"metadata":{"generation":3},"spec":{"template":{"spec":{}}},"status":{}})");
  Json changed = old;
  changed.Make({"metadata", "annotations"}).Set("a", "b");
  MakeDeploymentStrategy()->PrepareUpdate(changed, old);
  EXPECT_EQ(changed["metadata"]["generation"].AsInt(), 4);
}

}  // namespace
}  // namespace berth::server
