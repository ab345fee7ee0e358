// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/input/timeline.h"

#include <gtest/gtest.h>

namespace berth::simulate {
namespace {

Result<Timeline> Parse(std::string_view text) { return ParseTimeline(text, "t.yaml", server::Catalog()); }

TEST(Timeline, EventsAreSorted) {
  const Timeline timeline = Parse(R"(
settings: {bindLatency: 5ms}
events:
- at: 1m
  patch: {kind: Node, name: n1, patch: {spec: {unschedulable: true}, metadata: {labels: {a: null, c: d}}}}
- at: 30s
  create: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}
  runs: 10s
- at: 2m
  delete: {kind: Pod, name: p}
- at: 3m
  drain: {name: n1}
)")
                                .value();

  EXPECT_EQ(timeline.settings.bind_latency, Milliseconds(5));
  EXPECT_EQ(timeline.settings.eviction_grace_period, Seconds(30));
  ASSERT_EQ(timeline.events.size(), 4u);
  const auto& create = std::get<CreateObjects>(timeline.events[0].what);
  ASSERT_EQ(create.manifests.all().size(), 1u);
  EXPECT_EQ(create.manifests.all()[0].object.kind, "Pod");
  EXPECT_EQ(create.runs, Seconds(10));
  const auto& patch = std::get<PatchObject>(timeline.events[1].what);
  EXPECT_EQ(patch.target.name, "n1");
  EXPECT_TRUE(patch.patch["metadata"]["labels"].Has("a"));
  EXPECT_EQ(std::get<DeleteObject>(timeline.events[2].what).target.ns, "default");
  EXPECT_EQ(std::get<DrainNode>(timeline.events[3].what).name, "n1");
  EXPECT_EQ(timeline.events[3].origin, "t.yaml:11: events[3]");
}

TEST(Timeline, ArrivalsComeEveryWhileOrAtARate) {
  const Timeline timeline = Parse(R"(
arrivals:
- {from: 10s, until: 1m, every: 2s, runs: 5m, pod: {metadata: {generateName: job-}, spec: {containers: [{name: c}]}}}
- {rate: 30/min, poisson: true, pod: {metadata: {generateName: x-}, spec: {containers: [{name: c}]}}}
)")
                                .value();

  ASSERT_EQ(timeline.arrivals.size(), 2u);
  EXPECT_EQ(timeline.arrivals[0].pod["metadata"]["generateName"].text(), "x-") << "in order of time";
  EXPECT_EQ(timeline.arrivals[0].gap, Seconds(2));
  EXPECT_TRUE(timeline.arrivals[0].poisson);
  EXPECT_FALSE(timeline.arrivals[0].until.has_value());
  EXPECT_EQ(timeline.arrivals[1].gap, Seconds(2));
  EXPECT_EQ(timeline.arrivals[1].pod["metadata"]["annotations"]["berth.dev/complete-after"].text(), "5m0s");
}

TEST(Timeline, ErrorsNameTheLineAndTheField) {
  struct Case {
    std::string_view text;
    std::string_view error;
  };
  const Case cases[] = {
      {"event: []", "t.yaml:1: event: unknown field, expected one of settings, events, arrivals"},
      {"events: {}", "t.yaml:1: events: must be a list"},
      {"events:\n- {at: soon, delete: {kind: Node, name: n1}}",
       "t.yaml:2: events[0].at: \"soon\" is no duration, such as 90s or 1m30s"},
      {"events:\n- {delete: {kind: Node, name: n1}}", "t.yaml:2: events[0].at: is missing"},
      {"events:\n- {at: 1s}", "t.yaml:2: events[0]: needs one of create, file, delete, drain and patch"},
      {"events:\n- {at: 1s, delete: {kind: Nod, name: n2}}",
       "t.yaml:2: events[0].delete.kind: there is no Nod; did you mean Node?"},
      {"events:\n- {at: 1s, create: {metadata: {name: n1}}}",
       "t.yaml:2: events[0].create: must be a manifest or a list of manifests, each with its kind"},
      {"events:\n- {at: 1s, patch: {kind: Node, name: n1, patch: {}}}",
       "t.yaml:2: events[0].patch.patch: changes nothing"},
      {"arrivals:\n- {pod: {}}", "t.yaml:2: arrivals[0]: needs one of every and rate"},
      {"arrivals:\n- {rate: 3, pod: {}}", "t.yaml:2: arrivals[0].rate: \"3\" is no rate, such as 5/s, 30/min or 100/h"},
      {"arrivals:\n- {every: 0s, pod: {}}", "t.yaml:2: arrivals[0].every: must be more than 0"},
      {"arrivals:\n- {every: 1s, pod: {metadata: {name: a}}}",
       "t.yaml:2: arrivals[0].pod.metadata: must have a generateName and no name"},
      {"arrivals:\n- {every: 1ns, until: 1h, pod: {metadata: {generateName: a}}}",
       "t.yaml:2: arrivals[0]: makes too many pods: a simulation makes 1000000 at most"},
      {"settings: {sampleInterval: 0s}", "t.yaml:1: settings.sampleInterval: must be more than 0"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<Timeline> timeline = Parse(c.text);
    ASSERT_FALSE(timeline.has_value());
    EXPECT_EQ(timeline.error().message, c.error);
  }
}

}  // namespace
}  // namespace berth::simulate
