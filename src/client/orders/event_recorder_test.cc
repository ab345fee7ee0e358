// SPDX-License-Identifier: Apache-2.0
#include "client/orders/event_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/document/value.h"
#include "client/request/test_api.h"

namespace berth::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kEvents = "/apis/events.k8s.io/v1/namespaces/default/events";

Event FailedScheduling(std::string note = "no room", std::string version = "7") {
  return {.regarding = {"Pod", "v1", "default", "p1", "uid-p1", std::move(version)},
          .type = "Warning",
          .reason = "FailedScheduling",
          .action = "Scheduling",
          .note = std::move(note),
          .controller = "default-scheduler"};
}

struct EventWorld {
  explicit EventWorld(EventRecorder::Options options = {.host_name = "host"})
      : recorder(api.client, api.timers, std::move(options)) {}

  // The name of the event in a POST.
  std::string Name(size_t index) const {
    return std::string(api::ParseJson(api.body(index)).value().root()["metadata"]["name"].text());
  }

  TestApi api;
  EventRecorder recorder;
};

TEST(EventRecorder, WritesAnEvent) {
  EventWorld world;
  world.recorder.Record(FailedScheduling());
  EXPECT_THAT(world.api.requests(), ElementsAre("POST " + kEvents));
  EXPECT_EQ(world.api.content_type(0), "application/json");
  EXPECT_THAT(world.api.body(0), HasSubstr(R"("reportingInstance":"default-scheduler-host")"));
  EXPECT_EQ(world.Name(0), "p1.18867251edfa0000");
  EXPECT_EQ(world.recorder.unwritten(), 1u);
  world.api.Answer(201);
  EXPECT_EQ(world.recorder.unwritten(), 0u);
}

TEST(EventRecorder, ARepeatedEventStartsASeriesWhateverItsNote) {
  EventWorld world;
  world.recorder.Record(FailedScheduling());
  world.api.Answer(201);
  world.api.timers.Advance(Seconds(1));
  world.recorder.Record(FailedScheduling("less room"));
  EXPECT_THAT(world.api.requests(), ElementsAre("POST " + kEvents, "PATCH " + kEvents + "/" + world.Name(0)));
  EXPECT_EQ(world.api.content_type(1), "application/strategic-merge-patch+json");
  EXPECT_EQ(world.api.body(1), R"({"series":{"count":2,"lastObservedTime":"2026-01-01T00:00:01.000000Z"}})");
  world.api.Answer(200);
  world.recorder.Record(FailedScheduling());
  EXPECT_EQ(world.api.transport.started(), 2u) << "further ones are only counted";
}

TEST(EventRecorder, AnotherVersionOfTheObjectIsAnotherEvent) {
  EventWorld world;
  world.recorder.Record(FailedScheduling("no room", "7"));
  world.recorder.Record(FailedScheduling("no room", "8"));
  EXPECT_THAT(world.api.requests(), ElementsAre("POST " + kEvents, "POST " + kEvents));
  EXPECT_NE(world.Name(0), world.Name(1)) << "even at the same instant";
}

TEST(EventRecorder, ASeriesWaitsUntilItsEventIsWritten) {
  EventWorld world;
  world.recorder.Record(FailedScheduling());
  world.recorder.Record(FailedScheduling());
  EXPECT_EQ(world.api.transport.started(), 1u);
  world.api.Answer(201);
  EXPECT_EQ(world.api.Line(1), "PATCH " + kEvents + "/" + world.Name(0));
}

TEST(EventRecorder, ASeriesEndsAfterSixMinutesOfSilence) {
  EventWorld world;
  world.recorder.Record(FailedScheduling());
  world.api.Answer(201);
  world.recorder.Record(FailedScheduling());
  world.api.Answer(200);
  world.api.timers.Advance(Minutes(5));
  world.recorder.Record(FailedScheduling());
  world.api.timers.Advance(Minutes(2));
  EXPECT_EQ(world.api.transport.started(), 2u);
  world.api.timers.Advance(Minutes(6));
  ASSERT_EQ(world.api.transport.started(), 3u);
  EXPECT_EQ(world.api.body(2), R"({"series":{"count":3,"lastObservedTime":"2026-01-01T00:05:00.000000Z"}})");
  world.api.Answer(200);
  world.recorder.Record(FailedScheduling());
  EXPECT_EQ(world.api.Line(3), "POST " + kEvents);
}

TEST(EventRecorder, AClockThatIsSetIsFollowedAndEndsNoSeries) {
  for (const Duration step : {Minutes(60), Minutes(-60)}) {
    EventWorld world;
    world.recorder.Record(FailedScheduling());
    world.api.Answer(201);
    world.api.timers.JumpWall(step);
    world.api.timers.Advance(Seconds(1));
    world.recorder.Record(FailedScheduling("no room", "8"));
    EXPECT_THAT(world.api.body(1), HasSubstr(FormatTimeMicro(world.api.timers.WallNow())));
    EXPECT_NE(world.Name(0), world.Name(1));
    world.api.Answer(201);
    world.api.timers.Advance(Minutes(5));
    world.recorder.Record(FailedScheduling());
    EXPECT_THAT(world.api.body(2), HasSubstr(FormatTimeMicro(world.api.timers.WallNow()))) << "a series";
    world.api.Answer(200);
    world.api.timers.Advance(Minutes(12));
    world.recorder.Record(FailedScheduling());
    EXPECT_EQ(world.api.Line(world.api.transport.started() - 1), "POST " + kEvents) << "it is over";
  }
}

TEST(EventRecorder, ASingleEventIsForgottenQuietly) {
  EventWorld world;
  world.recorder.Record(FailedScheduling());
  world.api.Answer(201);
  world.api.timers.Advance(Minutes(12));
  EXPECT_EQ(world.api.transport.started(), 1u);
  EXPECT_EQ(world.api.timers.pending(), 0u);
  world.recorder.Record(FailedScheduling());
  EXPECT_EQ(world.api.Line(1), "POST " + kEvents);
}

TEST(EventRecorder, ASeriesThatGoesOnIsToldEveryHalfHour) {
  EventWorld world;
  world.recorder.Record(FailedScheduling());
  world.api.Answer(201);
  world.recorder.Record(FailedScheduling());
  world.api.Answer(200);
  for (int minute = 0; minute < 31; ++minute) {
    world.api.timers.Advance(Minutes(1));
    world.recorder.Record(FailedScheduling());
  }
  ASSERT_EQ(world.api.transport.started(), 3u);
  EXPECT_THAT(world.api.body(2), HasSubstr(R"("count":31)"));
}

TEST(EventRecorder, AnEventThatExpiredIsWrittenAgainWithItsSeries) {
  EventWorld world;
  world.recorder.Record(FailedScheduling());
  world.api.Answer(201);
  world.recorder.Record(FailedScheduling());
  world.api.Refuse(404, "NotFound", "not found");
  ASSERT_EQ(world.api.transport.started(), 3u);
  EXPECT_EQ(world.api.Line(2), "POST " + kEvents);
  EXPECT_THAT(world.api.body(2), HasSubstr(R"("series":{"count":2,)"));
  EXPECT_EQ(world.Name(2), world.Name(0));
  world.api.Answer(201);
  EXPECT_EQ(world.recorder.unwritten(), 0u);
}

TEST(EventRecorder, TriesTwelveTimesToReachTheServer) {
  EventWorld world;
  world.recorder.Record(FailedScheduling());
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(world.api.transport.started(), static_cast<size_t>(i) + 1);
    world.api.Fail(Code::kInternal);
    world.api.timers.Advance(Milliseconds(9'999));
    EXPECT_EQ(world.api.transport.started(), static_cast<size_t>(i) + 1);
    world.api.timers.Advance(Milliseconds(2'501));
  }
  EXPECT_EQ(world.api.transport.started(), 12u);
  EXPECT_EQ(world.recorder.unwritten(), 0u);
}

TEST(EventRecorder, ARefusalIsFinal) {
  EventWorld world;
  world.recorder.Record(FailedScheduling());
  world.api.Refuse(403, "Forbidden", "namespace is being terminated");
  world.api.timers.Advance(Minutes(3));
  EXPECT_EQ(world.api.transport.started(), 1u);
}

TEST(EventRecorder, WritesAFewAtATimeAndDropsWhatIsTooMuch) {
  EventWorld world({.host_name = "host", .queue_max = 2, .running_max = 1});
  for (int i = 0; i < 5; ++i) world.recorder.Record(FailedScheduling("", std::to_string(i)));
  EXPECT_EQ(world.api.transport.started(), 1u);
  EXPECT_EQ(world.recorder.unwritten(), 3u);
  EXPECT_EQ(world.recorder.dropped(), 2u);
  world.api.Answer(201);
  world.api.Answer(201);
  world.api.Answer(201);
  EXPECT_EQ(world.api.transport.started(), 3u);
  EXPECT_EQ(world.recorder.unwritten(), 0u);
}

TEST(EventRecorder, WritesCoreEvents) {
  EventWorld world;
  Event event = FailedScheduling();
  event.regarding = {"Lease", "coordination.k8s.io/v1", "kube-system", "lock", "uid", "1"};
  world.recorder.RecordCore(event);
  EXPECT_EQ(world.api.Line(0), "POST /api/v1/namespaces/kube-system/events");
  EXPECT_THAT(world.api.body(0), HasSubstr(R"("apiVersion":"v1")"));
}

}  // namespace
}  // namespace berth::client
