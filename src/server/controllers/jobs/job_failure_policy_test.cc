// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_failure_policy.h"

#include <gtest/gtest.h>

#include "api/document/value.h"

namespace berth::server {
namespace {

Json Yaml(std::string_view text) {
  const auto documents = api::ParseJsonOrYaml(text);
  EXPECT_TRUE(documents);
  return Json::FromValue(documents->front().root());
}

// A pod whose containers ended with these codes; -1: it runs still.
Json Failed(int main, int side, std::string_view conditions = "[]") {
  const auto state = [](int code) {
    return code < 0 ? std::string("{running: {}}") : "{terminated: {exitCode: " + std::to_string(code) + "}}";
  };
  return Yaml("{metadata: {namespace: a, name: p}, status: {containerStatuses: [{name: main, state: " + state(main) +
              "}, {name: side, state: " + state(side) + "}], conditions: " + std::string(conditions) + "}}");
}

TEST(JobFailurePolicy, WithoutPolicyEveryFailureCounts) {
  const FailureVerdict verdict = JudgeFailure(Json(), Failed(1, 0));
  EXPECT_TRUE(verdict.counts);
  EXPECT_FALSE(verdict.fails_index);
  EXPECT_EQ(verdict.fails_job, "");
}

TEST(JobFailurePolicy, FailsTheJobForAnExitCode) {
  const Json policy = Yaml("rules: [{action: FailJob, onExitCodes: {operator: In, values: [3, 42]}}]");
  EXPECT_EQ(JudgeFailure(policy, Failed(0, 42)).fails_job,
            "Container side for pod a/p failed with exit code 42 matching FailJob rule at index 0");
  EXPECT_EQ(JudgeFailure(policy, Failed(1, -1)).fails_job, "");
}

TEST(JobFailurePolicy, ACodeOfZeroIsNoFailure) {
  const Json policy = Yaml("rules: [{action: Ignore, onExitCodes: {operator: NotIn, values: [1]}}]");
  EXPECT_TRUE(JudgeFailure(policy, Failed(0, 1)).counts);
  EXPECT_FALSE(JudgeFailure(policy, Failed(0, 2)).counts);
}

TEST(JobFailurePolicy, ARuleMayBeAboutOneContainer) {
  const Json policy =
      Yaml("rules: [{action: FailIndex, onExitCodes: {containerName: main, operator: In, values: [1]}}]");
  EXPECT_TRUE(JudgeFailure(policy, Failed(1, 0)).fails_index);
  EXPECT_FALSE(JudgeFailure(policy, Failed(0, 1)).fails_index);
}

TEST(JobFailurePolicy, TheFirstRuleThatMatchesDecides) {
  const Json policy = Yaml(R"(rules:
- {action: Count, onExitCodes: {operator: In, values: [7]}}
- {action: Ignore, onPodConditions: [{type: DisruptionTarget, status: 'True'}]}
- {action: FailJob, onPodConditions: [{type: Broken, status: 'True'}]}
)");
  const std::string_view disrupted = "[{type: DisruptionTarget, status: 'True'}]";
  EXPECT_TRUE(JudgeFailure(policy, Failed(7, 0, disrupted)).counts);
  EXPECT_FALSE(JudgeFailure(policy, Failed(8, 0, disrupted)).counts);
  EXPECT_TRUE(JudgeFailure(policy, Failed(8, 0, "[{type: DisruptionTarget, status: 'False'}]")).counts);
  EXPECT_EQ(JudgeFailure(policy, Failed(8, 0, "[{type: Broken, status: 'True'}]")).fails_job,
            "Pod a/p has condition Broken matching FailJob rule at index 2");
}

}  // namespace
}  // namespace berth::server
