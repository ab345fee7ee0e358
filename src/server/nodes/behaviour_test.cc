// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/behaviour.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace berth::server {
namespace {

Json PodNamed(const std::string& name, int64_t restarts = 0) {
  return Json{{"metadata", Json{{"name", Json::String(name)}, {"namespace", Json::String("default")}}},
              {"status", Json{{"containerStatuses", Json::MakeList({Json{{"restartCount", Json::Int(restarts)}}})}}}};
}

TEST(Behaviour, TheFirstEntryForAPodsLabelsCounts) {
  const Behaviour behaviour = ParseBehaviour(R"(
pods:
- selector: app=web
  startAfter: 5s
  terminateAfter: 2s
- selector: app
  exitAfter: 1m
  exitCode: 7
)")
                                  .value();
  const PodScript web = behaviour.ScriptFor(PodNamed("p"), {{"app", "web"}});
  EXPECT_EQ(web.start_after, Seconds(5));
  EXPECT_EQ(web.terminate_after, Seconds(2));
  EXPECT_EQ(web.exit_after, Duration{});
  const PodScript other = behaviour.ScriptFor(PodNamed("p"), {{"app", "db"}});
  EXPECT_EQ(other.exit_after, Seconds(60));
  EXPECT_EQ(other.exit_code, 7);
  EXPECT_FALSE(behaviour.ScriptFor(PodNamed("p"), {}).takes_time());
}

TEST(Behaviour, WhatIsLeftToChanceFollowsFromSeedAndName) {
  Behaviour behaviour = ParseBehaviour("pods: [{exitAfter: {min: 1s, max: 9s}, failureRate: 0.25}]").value();
  std::set<int64_t> spans;
  int failures = 0;
  for (int i = 0; i < 400; ++i) {
    const Json pod = PodNamed("pod-" + std::to_string(i));
    const PodScript script = behaviour.ScriptFor(pod, {});
    EXPECT_EQ(behaviour.ScriptFor(pod, {}).exit_after, script.exit_after);
    EXPECT_GE(script.exit_after, Seconds(1));
    EXPECT_LE(script.exit_after, Seconds(9));
    EXPECT_EQ(script.exit_code, script.fails ? 1 : 0);
    spans.insert(script.exit_after.nanos);
    failures += script.fails ? 1 : 0;
  }
  EXPECT_GT(spans.size(), 390U);
  EXPECT_GT(failures, 60);
  EXPECT_LT(failures, 140);
  const Duration first = behaviour.ScriptFor(PodNamed("p"), {}).exit_after;
  EXPECT_NE(behaviour.ScriptFor(PodNamed("p", 1), {}).exit_after, first) << "each run is another";
  behaviour.seed = 1;
  EXPECT_NE(behaviour.ScriptFor(PodNamed("p"), {}).exit_after, first);
}

TEST(Behaviour, ExponentialTimesHaveTheirMean) {
  const Behaviour behaviour = ParseBehaviour("pods: [{endAfter: {mean: 10s}}]").value();
  double sum = 0;
  for (int i = 0; i < 2000; ++i) {
    sum += static_cast<double>(behaviour.ScriptFor(PodNamed("pod-" + std::to_string(i)), {}).end_after.nanos);
  }
  EXPECT_NEAR(sum / 2000 / 1e9, 10, 1);
}

TEST(Behaviour, ATimeToTerminateGoesBeforeCommandsEvenIfItIsNone) {
  const Behaviour quick = ParseBehaviour("pods: [{terminateAfter: 0s}]").value();
  EXPECT_TRUE(quick.ScriptFor(PodNamed("pod"), {}).is_stop_told);
  const Behaviour other = ParseBehaviour("pods: [{startAfter: 1s}]").value();
  EXPECT_FALSE(other.ScriptFor(PodNamed("pod"), {}).is_stop_told);
}

TEST(Behaviour, WhatIsWrongIsSaidWithItsPlace) {
  const std::pair<std::string, std::string> cases[] = {
      {"pods: [{startAfter: soon}]",
       "line 1: pods[0].startAfter: expected a time such as 5s, {min: 1s, max: 5s} or {mean: 5s}"},
      {"pods:\n- {}\n- startAfter: -1s", "line 3: pods[1].startAfter: expected a time"},
      {"pods: [{startAfter: 20000h}]", "pods[0].startAfter: expected at most 8760h0m0s"},
      {"pods: [{endAfter: {min: 5s, max: 1s}}]", "pods[0].endAfter.max: expected no less than min"},
      {"pods: [{endAfter: {mean: 5s, max: 1s}}]", "pods[0].endAfter: expected a time"},
      {"pods: [{endAfter: {most: 5s}}]", "pods[0].endAfter.most: expected one of max, mean, min"},
      {"pods: [{exitCode: 256}]", "pods[0].exitCode: expected a number from 0 to 255"},
      {"pods: [{failureRate: 2}]", "pods[0].failureRate: expected a number from 0 to 1"},
      {"pods: [{selector: 'a in b'}]", "pods[0].selector: expected a label selector: "},
      {"pods: [{selector: {app: web}}]", "pods[0].selector: expected a label selector such as"},
      {"pods: {}", "pods: expected a list"},
      {"pods: [5]", "pods[0]: expected a map"},
      {"nodes: [{notReady: {every: 1m}}]", "nodes[0].notReady.for: expected a time such as 1m"},
      {"nodes: [{silent: {every: 1m, for: 2m}}]", "nodes[0].silent.every: expected more than for"},
      {"nodes: [{silent: {every: 1s, for: 1ms}}]", "nodes[0].silent.for: expected a second or more"},
      {"nodes: [{explode: {every: 1m, for: 1s}}]", "nodes[0].explode: expected one of "},
      {"wishes: []", "wishes: expected pods or nodes"},
      {"[]", "expected a map with lists `pods` and `nodes`"},
  };
  for (const auto& [text, problem] : cases) {
    SCOPED_TRACE(text);
    const Result<Behaviour> parsed = ParseBehaviour(text);
    ASSERT_FALSE(parsed.has_value());
    EXPECT_NE(parsed.error().message.find(problem), std::string::npos) << parsed.error().message;
  }
}

}  // namespace
}  // namespace berth::server
