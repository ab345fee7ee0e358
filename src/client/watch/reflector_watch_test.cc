// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/watch/test_reflector.h"

namespace berth::client::reflector_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Reflector, ReadsEventsThatComeInPieces) {
  auto bench = Bench::Watching();
  const std::string bytes = Added("c", 11) + Event("MODIFIED", Node("c", 12));

  for (const char c : bytes) bench->Send(std::string_view(&c, 1));

  EXPECT_THAT(bench->sink.Take(), ElementsAre("put c@11", "put c@12"));
}

TEST(Reflector, KnowsTheNamesOfWhatItHasDelivered) {
  auto bench = Bench::Watching();
  bench->Send(Added("c", 11) + Event("DELETED", Node("a", 12)));

  EXPECT_THAT(bench->reflector.DeliveredNames(), ElementsAre("b", "c"));
}

TEST(Reflector, ResumesAWatchThatEndedWhereItWas) {
  auto bench = Bench::Watching();
  bench->Send(Added("c", 11) + Bookmark(15));
  bench->transport.End(bench->call());
  EXPECT_EQ(bench->Target(), WatchFrom(15));
  bench->OpenStream();
  bench->Send(Added("d", 16));
  bench->transport.Fail(bench->call(), Code::kInternal, "connection reset");

  EXPECT_EQ(bench->Target(), WatchFrom(16));
  EXPECT_THAT(bench->sink.Take(), ElementsAre("put c@11", "put d@16"));
  EXPECT_THAT(bench->log.watches, ElementsAre(5u, 1u));
}

TEST(Reflector, WaitsBeforeItResumesAWatchThatEndedAtOnce) {
  auto bench = Bench::Watching();
  bench->Send(Bookmark(15));
  bench->transport.End(bench->call());
  for (int i = 0; i < 10; ++i) {
    bench->OpenStream();
    bench->transport.End(bench->call());
    EXPECT_TRUE(bench->AsksAgain(Milliseconds(800), Milliseconds(1600)));
    EXPECT_EQ(bench->Target(), WatchFrom(15));
  }
}

TEST(Reflector, EndsEveryWatchBetweenFiveAndTenMinutes) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Bench bench(kNodes, {.protobuf = true, .seed = seed});
    bench.reflector.Start();
    const std::string target = bench.target();
    const int seconds = std::stoi(target.substr(target.find("timeoutSeconds=") + 15));
    EXPECT_GE(seconds, 300);
    EXPECT_LT(seconds, 600);
  }
}

TEST(Reflector, GivesUpAConnectionThatOutlivesItsTime) {
  auto bench = Bench::Watching();
  const auto stalled = bench->call();
  bench->timers.Advance(Minutes(5));
  EXPECT_TRUE(bench->transport.is_open(stalled));
  bench->timers.Advance(Minutes(5) + Seconds(30));

  EXPECT_FALSE(bench->transport.is_open(stalled));
  EXPECT_EQ(bench->Target(), WatchFrom(10));
}

TEST(Reflector, AWatchFromTooLargeAVersionLeadsToAList) {
  auto bench = Bench::Watching();
  bench->transport.End(bench->call());
  bench->Answer(504, Status(504, "Timeout", "Too large resource version: 10, current: 5"));
  bench->timers.Advance(Seconds(2));

  EXPECT_EQ(bench->Target(), StreamingListFrom(10));
}

TEST(Reflector, AWatchIsResumedAfterFailuresThatPass) {
  using Fault = std::function<void(Bench&)>;
  const std::vector<std::pair<std::string, Fault>> faults = {
      {"refused", [](Bench& bench) { bench.transport.Fail(bench.call(), Code::kUnavailable, "connection refused"); }},
      {"reset", [](Bench& bench) { bench.transport.Fail(bench.call(), Code::kInternal, "connection reset"); }},
      {"429", [](Bench& bench) { bench.Answer(429, Status(429, "TooManyRequests")); }},
      {"503", [](Bench& bench) { bench.Answer(503, "busy"); }},
      {"429 event",
       [](Bench& bench) {
         bench.OpenStream();
         bench.Send(Event("ERROR", Status(429, "TooManyRequests")));
       }},
  };
  for (const auto& [name, fault] : faults) {
    SCOPED_TRACE(name);
    auto bench = Bench::Watching();
    bench->Send(Bookmark(11));
    bench->transport.End(bench->call());
    Duration delay = Milliseconds(800);
    for (int i = 0; i < 8; ++i) {
      fault(*bench);
      EXPECT_TRUE(bench->AsksAgain(delay, delay + delay));
      EXPECT_EQ(bench->Target(), WatchFrom(11));
      delay = std::min(delay + delay, Seconds(30));
    }
  }
}

TEST(Reflector, AnErrorInTheMiddleOfAWatchLeadsToAList) {
  for (const std::string& bytes : {Event("ERROR", Status(500, "InternalError")), std::string("garbage\n")}) {
    auto bench = Bench::Watching();
    bench->Send(bytes);
    bench->timers.Advance(Seconds(2));
    EXPECT_EQ(bench->Target(), StreamingListFrom(10));
    EXPECT_THAT(bench->log.failures, ElementsAre(Not(IsEmpty())));
  }
}

TEST(Reflector, TheBackoffBeginsAnewAfterTwoQuietMinutes) {
  auto bench = Bench::Watching();
  bench->transport.End(bench->call());
  for (int i = 0; i < 5; ++i) {
    bench->Answer(503, "busy");
    bench->timers.Advance(Minutes(1));
  }
  bench->OpenStream();
  bench->timers.Advance(Minutes(3));
  bench->transport.End(bench->call());
  bench->Answer(503, "busy");

  EXPECT_TRUE(bench->AsksAgain(Milliseconds(800), Milliseconds(1600)));
}

TEST(Reflector, AnObjectThatCannotBeDecodedIsSkippedAndStaysWhatItWas) {
  const std::string broken = R"({"metadata":{"name":"b","resourceVersion":"12"},"spec":{"taints":"x"}})";
  auto bench = Bench::Watching();
  bench->Send(Event("MODIFIED", broken) + Added("c", 13) + Event("MYSTERY", "{}"));
  EXPECT_THAT(bench->sink.Take(), ElementsAre("put c@13"));
  EXPECT_THAT(bench->log.skipped, ElementsAre(HasSubstr("taints"), HasSubstr("no event")));
  bench->Send(Event("ERROR", Status(410, "Gone")));
  bench->timers.Advance(Seconds(2));
  bench->OpenStream();
  bench->Send(Added("a", 1) + Event("ADDED", broken) + Added("c", 13) + InitialEnd(20));

  EXPECT_THAT(bench->sink.Take(), IsEmpty());
}

TEST(Reflector, KeepsTheSourcesOfObjectsIfItIsAskedTo) {
  Bench bench(kNodes, {.sources = {.pods = false, .nodes = true}});
  bench.reflector.Start();
  bench.OpenStream();
  const std::string wrong = R"({"metadata":{"name":"b","resourceVersion":"2"},"status":{"nodeInfo":{"machineID":1}}})";
  bench.Send(Added("a", 1) + Event("ADDED", wrong) + InitialEnd(10));

  EXPECT_THAT(bench.sink.Take(), ElementsAre("put a@1 with its source", "put b@2"));
  EXPECT_THAT(bench.log.sourceless, ElementsAre(HasSubstr("machineID")));
  EXPECT_THAT(bench.log.skipped, IsEmpty());
}

TEST(Reflector, RepeatedEventsAndRemovalsOfTheUnknownAreNotDelivered) {
  auto bench = Bench::Watching();
  bench->Send(Added("a", 1) + Event("DELETED", Node("stranger", 11)) + Bookmark(12) + Bookmark(12));

  EXPECT_THAT(bench->sink.Take(), IsEmpty());
}

TEST(Reflector, ReadsNoFurtherWhileTheSinkIsFull) {
  auto bench = Bench::Watching();
  bench->sink.full = true;
  bench->Send(Added("c", 11));
  EXPECT_TRUE(bench->transport.last().paused);
  bench->timers.Advance(Minutes(20));
  EXPECT_TRUE(bench->transport.is_open(bench->call())) << "it is not the server that stalls";
  bench->sink.full = false;
  bench->reflector.Resume();

  EXPECT_FALSE(bench->transport.last().paused);
}

TEST(Reflector, KeepsClaimsWhileTheyHaveNoDevices) {
  const auto claim = [](std::string_view name, int version, std::string_view status) {
    return fmt::format(R"({{"metadata":{{"namespace":"ns","name":"{}","resourceVersion":"{}"}},"status":{}}})", name,
                       version, status);
  };
  constexpr std::string_view kDevices = R"({"allocation":{"devices":{}}})";
  ClaimSources sources;
  sources.Keep("ns", "of-before", {api::wire::Encoding::kJson, "{}"});
  Bench bench({"ResourceClaim", "resource.k8s.io/v1", "resourceclaims", ""}, {.claim_sources = &sources});

  bench.reflector.Start();
  EXPECT_EQ(sources.size(), 0u);
  bench.OpenStream();
  bench.Send(Event("ADDED", claim("a", 1, "{}")) + Event("ADDED", claim("b", 2, kDevices)) + InitialEnd(10));
  EXPECT_EQ(sources.size(), 1u);
  bench.Send(Event("ADDED", claim("c", 11, "{}")) + Event("ADDED", claim("d", 12, "{}")));
  EXPECT_EQ(sources.size(), 3u);
  bench.Send(Event("MODIFIED", claim("c", 13, kDevices)) + Event("DELETED", claim("d", 14, "{}")));

  EXPECT_EQ(sources.size(), 1u);
  EXPECT_TRUE(sources.Take("ns", "a"));
}

}  // namespace
}  // namespace berth::client::reflector_test
