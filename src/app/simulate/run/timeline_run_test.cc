// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/run/simulation.h"

#include <gtest/gtest.h>

#include "app/simulate/report/history_report.h"
#include "app/simulate/report/plots.h"
#include "config/config.h"

namespace berth::simulate {
namespace {

constexpr std::string_view kNode = R"(
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 9
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "2", memory: 8Gi, pods: "10"}}
)";

struct Outcome {
  History history;
  std::string json;
};

Outcome Play(std::string_view cluster, std::string_view text, std::optional<Duration> until = {},
             std::optional<uint64_t> seed = {}) {
  Manifests manifests;
  EXPECT_TRUE(manifests.Add(cluster, "cluster.yaml").has_value());
  Result<Timeline> timeline = ParseTimeline(text, "t.yaml", server::Catalog());
  EXPECT_TRUE(timeline.has_value()) << timeline.error().message;
  Settings settings;
  settings.configuration = config::Default(settings.gates);
  settings.seed = seed;
  settings.until = until;
  const auto simulation = Simulation::Create(settings, manifests, *std::move(timeline)).value();
  const Result<void> done = simulation->Run();
  EXPECT_TRUE(done.has_value()) << done.error().message;
  return {simulation->history(), HistoryJson(simulation->history())};
}

Duration Since(const History& history, Time time) { return time - history.start; }

std::string PodText(std::string_view name, std::string_view more = "") {
  return "{apiVersion: v1, kind: Pod, metadata: {name: " + std::string(name) +
         "}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1500m}}}]" + std::string(more) + "}}";
}

TEST(TimelineRun, PodWaitsUntilAnotherHasRun) {
  const auto [history, json] = Play(
      kNode, "events:\n- {at: 0s, runs: 1m, create: " + PodText("a") + "}\n- {at: 10s, create: " + PodText("b") + "}");

  ASSERT_EQ(history.pods.size(), 2u);
  EXPECT_EQ(Since(history, *history.pods[0].bound), Milliseconds(10)) << "the latency of a call";
  EXPECT_EQ(history.pods[0].state, PodLife::State::kCompleted);
  EXPECT_EQ(Since(history, *history.pods[0].ended), Milliseconds(60'010));
  EXPECT_EQ(history.pods[1].state, PodLife::State::kRunning);
  EXPECT_EQ(history.pods[1].attempts, 2);
  EXPECT_GT(Since(history, *history.pods[1].bound), Milliseconds(60'010));
  EXPECT_LT(Since(history, *history.pods[1].bound), Seconds(62));
}

TEST(TimelineRun, VictimTakesItsGracePeriodToGo) {
  const auto [history, json] =
      Play(kNode, "settings: {evictionGracePeriod: 7s}\nevents:\n- {at: 0s, create: " + PodText("low") +
                      "}\n- {at: 10s, create: " + PodText("high", ", priorityClassName: high") + "}");

  ASSERT_EQ(history.evictions.size(), 1u);
  EXPECT_EQ(history.evictions[0].victim, "default/low");
  EXPECT_EQ(history.evictions[0].preemptor, "default/high");
  EXPECT_EQ(history.pods[0].state, PodLife::State::kEvicted);
  EXPECT_EQ(Since(history, *history.pods[0].ended), Milliseconds(17'010));
  EXPECT_GE(Since(history, *history.pods[1].bound), Milliseconds(17'020));
  EXPECT_EQ(history.events.at("Preempted"), 1u);
}

TEST(TimelineRun, PodThatFitsNowhereEndsTheRunWithItsMessage) {
  const auto [history, json] = Play("", "events:\n- {at: 0s, create: " + PodText("a") + "}");

  EXPECT_EQ(history.pods[0].state, PodLife::State::kWaiting);
  EXPECT_EQ(history.pods[0].message, "no nodes available to schedule pods");
  EXPECT_LE(history.end - history.start, Minutes(10));
}

TEST(TimelineRun, PodsOfALostNodeAreMadeAnew) {
  constexpr std::string_view kTwo = R"(
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "2", memory: 8Gi, pods: "10"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}}
)";
  for (const std::string_view loss : {"delete: {kind: Node, name: n1}", "drain: {name: n1}"}) {
    SCOPED_TRACE(loss);
    const auto [history, json] =
        Play(std::string(kNode) + "---" + std::string(kTwo), "events:\n- {at: 1m, " + std::string(loss) + "}");

    ASSERT_EQ(history.pods.size(), 3u);
    EXPECT_EQ(history.pods[0].node, "n1");
    EXPECT_NE(history.pods[0].state, PodLife::State::kRunning);
    EXPECT_EQ(history.pods[2].replaces, history.pods[0].full_name());
    EXPECT_EQ(history.pods[2].node, "n2");
    EXPECT_EQ(history.pods[2].state, PodLife::State::kRunning);
  }
}

TEST(TimelineRun, ArrivalsStopInTimeAndTheSeedDecidesThem) {
  const auto text = [](std::string_view how) {
    return "arrivals:\n- {from: 1s, until: 11s, every: 2s, runs: 1s" + std::string(how) +
           ", pod: {metadata: {generateName: a-}, spec: {containers: [{name: c, image: i}]}}}";
  };

  const auto [even, even_json] = Play(kNode, text(""));
  ASSERT_EQ(even.pods.size(), 5u);
  EXPECT_EQ(Since(even, even.pods[4].created), Seconds(9));

  const std::string first = Play(kNode, text(", poisson: true"), Minutes(1), 7).json;
  EXPECT_EQ(Play(kNode, text(", poisson: true"), Minutes(1), 7).json, first);
  EXPECT_NE(Play(kNode, text(", poisson: true"), Minutes(1), 8).json, first);
}

TEST(TimelineRun, WorkloadsAreScaledRolledOutAndDeletedByTheirControllers) {
  constexpr std::string_view kWeb = R"(
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
)";
  const auto [history, json] = Play(std::string(kNode) + std::string(kWeb), R"(events:
- {at: 1m, patch: {kind: Deployment, name: web, patch: {spec: {replicas: 3}}}}
- {at: 2m, delete: {kind: Deployment, name: web}}
)");

  ASSERT_EQ(history.pods.size(), 3u);
  for (const PodLife& life : history.pods) EXPECT_EQ(life.state, PodLife::State::kDeleted);
  EXPECT_GE(Since(history, *history.pods[2].bound), Minutes(1));
}

TEST(TimelineRun, WhatTheApiServerRefusesEndsTheRunWithFileAndLine) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"events:\n- {at: 1s, delete: {kind: Node, name: n2}}", "t.yaml:2: events[0]: nodes \"n2\" not found"},
      {"events:\n- {at: 2s, drain: {name: n1}}\n- {at: 1s, delete: {kind: Node, name: n1}}",
       "t.yaml:2: events[0]: nodes \"n1\" not found"},
      {"events:\n- {at: 1s, create: {apiVersion: v1, kind: Node, metadata: {name: n1}}}",
       "t.yaml:2: events[0]: t.yaml:2: Node n1 exists already"},
      {"arrivals:\n- {every: 1s, until: 2s, pod: {metadata: {generateName: a-}, spec: {priorityClassName: none, "
       "containers: [{name: c, image: i}]}}}",
       "t.yaml:2: arrivals[0]: pods \"a-"},
  };
  for (const auto& [text, error] : cases) {
    SCOPED_TRACE(text);
    Manifests manifests;
    ASSERT_TRUE(manifests.Add(kNode, "cluster.yaml").has_value());
    Settings settings;
    settings.configuration = config::Default(settings.gates);
    const auto simulation =
        Simulation::Create(settings, manifests, ParseTimeline(text, "t.yaml", server::Catalog()).value()).value();

    const Result<void> done = simulation->Run();

    ASSERT_FALSE(done.has_value());
    EXPECT_TRUE(done.error().message.starts_with(error)) << done.error().message;
  }
}

TEST(TimelineRun, UntilEndsTheRun) {
  const History history = Play(kNode, "events:\n- {at: 5m, create: " + PodText("a") + "}", Minutes(2)).history;

  EXPECT_EQ(history.end - history.start, Minutes(2));
  EXPECT_TRUE(history.pods.empty());
  EXPECT_EQ(MakePlots(history).size(), 3u) << "of an empty history too";
  EXPECT_FALSE(HistoryTable(history).empty());
}

TEST(TimelineRun, GateThatIsPatchedAwayLetsThePodGo) {
  const std::string pod = PodText("a", ", schedulingGates: [{name: x}]");
  const History gated = Play(kNode, "events:\n- {at: 0s, create: " + pod + "}").history;
  const History freed =
      Play(kNode, "events:\n- {at: 0s, create: " + pod +
                      "}\n- {at: 30s, patch: {kind: Pod, name: a, patch: {spec: {schedulingGates: null}}}}")
          .history;

  EXPECT_EQ(gated.pods[0].state, PodLife::State::kGated);
  ASSERT_TRUE(freed.pods[0].bound.has_value());
  EXPECT_EQ(Since(freed, *freed.pods[0].bound), Milliseconds(30'010));
}

}  // namespace
}  // namespace berth::simulate
