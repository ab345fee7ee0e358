// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/wire/protobuf.h"
#include "client/watch/test_reflector.h"

namespace berth::client::reflector_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Reflector, StreamsTheFirstListAndGoesOnWithTheSameStream) {
  Bench bench;
  bench.reflector.Start();

  EXPECT_EQ(bench.Target(), kStreamingList);
  EXPECT_EQ(bench.transport.last().Header("Accept"), "application/vnd.kubernetes.protobuf,application/json");
  bench.OpenStream();
  bench.Send(Added("a", 7) + Added("b", 3));
  EXPECT_THAT(bench.sink.Take(), ElementsAre("put a@7", "put b@3"));
  EXPECT_EQ(bench.synced, 0);
  bench.Send(InitialEnd(10));
  EXPECT_EQ(bench.synced, 1);
  EXPECT_EQ(bench.log.resource_version, "10");
  bench.Send(Event("MODIFIED", Node("a", 11)) + Event("DELETED", Node("b", 12)) + Bookmark(20));

  EXPECT_THAT(bench.sink.Take(), ElementsAre("put a@11", "removed Node b"));
  EXPECT_EQ(bench.log.resource_version, "20");
  EXPECT_EQ(bench.transport.started(), 1u);
  EXPECT_THAT(bench.log.lists, ElementsAre(2u));
}

TEST(Reflector, AsksForJsonAndWithTheFieldSelectorIfToldSo) {
  Bench bench({"Pod", "v1", "pods", "status.phase!=Succeeded,status.phase!=Failed"}, {.protobuf = false, .seed = 3});
  bench.reflector.Start();

  EXPECT_EQ(bench.transport.last().Header("Accept"), "application/json");
  EXPECT_THAT(bench.target(), HasSubstr("&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed&"));
}

TEST(Reflector, ListsAgainWhenTheVersionHasExpired) {
  for (const bool in_event : {false, true}) {
    SCOPED_TRACE(in_event);
    auto bench = Bench::Watching();
    if (in_event) {
      bench->Send(Event("ERROR", Status(410, "Expired")) + Added("never", 99));
    } else {
      bench->Send(Bookmark(11));
      bench->transport.End(bench->call());
      bench->Answer(410, Status(410, "Expired"));
    }
    EXPECT_TRUE(bench->AsksAgain(Milliseconds(800), Milliseconds(1600)));
    EXPECT_EQ(bench->Target(), StreamingListFrom(in_event ? 10 : 11));
    bench->OpenStream();
    bench->Send(Added("a", 1) + Added("c", 12));
    EXPECT_THAT(bench->sink.Take(), IsEmpty()) << "the list may still end early";
    bench->Send(InitialEnd(20));

    EXPECT_THAT(bench->sink.Take(), ElementsAre("put c@12", "vanished Node b"));
    EXPECT_EQ(bench->synced, 1);
  }
}

TEST(Reflector, ChangesWithinAStreamedRelistAreAppliedInTheirOrder) {
  auto bench = Bench::Watching();
  bench->Send(Event("ERROR", Status(410, "Gone")));
  bench->timers.Advance(Seconds(2));
  bench->OpenStream();
  bench->Send(Added("a", 1) + Added("b", 2) + Added("c", 12) + Added("c", 12) + Event("MODIFIED", Node("a", 13)) +
              Event("DELETED", Node("b", 14)) + Added("d", 15) + Event("DELETED", Node("d", 16)) + InitialEnd(20));

  EXPECT_THAT(bench->sink.Take(), ElementsAre("put c@12", "put a@13", "removed Node b", "put d@15", "removed Node d"));
}

TEST(Reflector, ARelistThatEndsEarlyChangesNothing) {
  auto bench = Bench::Watching();
  bench->Send(Event("ERROR", Status(410, "Gone")));
  bench->timers.Advance(Seconds(2));
  bench->OpenStream();
  bench->Send(Added("c", 30));
  bench->transport.Fail(bench->call(), Code::kInternal, "connection reset");
  EXPECT_EQ(bench->target(), "/api/v1/nodes?resourceVersion=10");
  bench->Answer(200, Page(20, {Node("a", 1), Node("b", 15)}));

  EXPECT_THAT(bench->sink.Take(), ElementsAre("put b@15"));
  EXPECT_EQ(bench->Target(), WatchFrom(20));
}

TEST(Reflector, AFreshFirstListDoesNotComeFromACache) {
  Bench bench(kNodes, {.fresh = true});
  bench.reflector.Start();
  bench.Answer(422, Status(422, "Invalid", "sendInitialEvents is forbidden"));

  EXPECT_EQ(bench.target(), "/api/v1/nodes?limit=500");
}

TEST(Reflector, FallsBackToPagesWhenTheServerDoesNotStreamLists) {
  Bench bench;
  bench.reflector.Start();
  bench.Answer(422, Status(422, "Invalid", "sendInitialEvents is forbidden"));
  EXPECT_EQ(bench.target(), "/api/v1/nodes?limit=500&resourceVersion=0");
  bench.Answer(200, Page(10, {Node("a", 1)}, "to/ken="));
  EXPECT_THAT(bench.sink.Take(), ElementsAre("put a@1"));
  EXPECT_EQ(bench.target(), "/api/v1/nodes?continue=to%2Fken%3D&limit=500");
  bench.Answer(200, Page(12, {Node("b", 2)}));

  EXPECT_THAT(bench.sink.Take(), ElementsAre("put b@2"));
  EXPECT_EQ(bench.synced, 1);
  EXPECT_EQ(bench.Target(), WatchFrom(10)) << "the pages are all of the version of the first";
}

TEST(Reflector, ACustomResourceThatIsNotInstalledHasNoObjects) {
  for (const int status : {403, 404}) {
    SCOPED_TRACE(status);
    Bench bench({"PodGroup.scheduling.x-k8s.io", "scheduling.x-k8s.io/v1alpha1", "podgroups", "", true});
    bench.reflector.Start();
    bench.Answer(status, Status(status, "NotFound", "no"));
    EXPECT_EQ(bench.target(), "/apis/scheduling.x-k8s.io/v1alpha1/podgroups?limit=500&resourceVersion=0");
    bench.Answer(status, Status(status, "NotFound", "no"));
    EXPECT_EQ(bench.synced, 1);
    EXPECT_THAT(bench.log.failures, ElementsAre(HasSubstr("is the custom resource installed")));

    EXPECT_TRUE(bench.AsksAgain(Milliseconds(800), Milliseconds(1600)));
    bench.OpenStream();
    bench.Send(Added("g", 3) + InitialEnd(10));
    EXPECT_THAT(bench.sink.Take(), ElementsAre("put g@3")) << "it was installed meanwhile";
  }
}

TEST(Reflector, ListsAtOnceWhenThePagesExpire) {
  Bench bench;
  bench.reflector.Start();
  bench.Answer(422, Status(422, "Invalid"));
  bench.Answer(200, Page(10, {Node("a", 1), Node("b", 2)}, "next"));
  bench.Answer(410, Status(410, "Expired"));
  EXPECT_EQ(bench.target(), "/api/v1/nodes?resourceVersion=0");
  bench.Answer(200, Page(20, {Node("b", 2), Node("c", 15)}));

  EXPECT_THAT(bench.sink.Take(), ElementsAre("put a@1", "put b@2", "put c@15", "vanished Node a"));
  EXPECT_EQ(bench.Target(), WatchFrom(20));
}

TEST(Reflector, AListOfAVersionThatIsUnavailableIsRepeatedForTheNewest) {
  for (const auto& [status, body] : {std::pair(410, Status(410, "Expired")),
                                     std::pair(504, Status(504, "Timeout", "Too large resource version: 10"))}) {
    auto bench = Bench::Watching();
    bench->Send(Event("ERROR", Status(410, "Gone")));
    bench->timers.Advance(Seconds(2));
    bench->Answer(status, body);
    EXPECT_EQ(bench->Target(), kStreamingList);
    bench->Answer(500, Status(500, "InternalError"));
    EXPECT_EQ(bench->target(), "/api/v1/nodes?limit=500");
    bench->Answer(200, Page(5, {Node("a", 1)}));

    EXPECT_THAT(bench->sink.Take(), ElementsAre("vanished Node b"));
    EXPECT_EQ(bench->Target(), WatchFrom(5));
  }
}

TEST(Reflector, APagedListOfAVersionThatIsUnavailableIsRepeatedForTheNewest) {
  auto bench = Bench::Watching();
  bench->Send(Event("ERROR", Status(410, "Gone")));
  bench->timers.Advance(Seconds(2));
  bench->Answer(422, Status(422, "Invalid"));
  EXPECT_EQ(bench->target(), "/api/v1/nodes?resourceVersion=10");
  bench->Answer(410, Status(410, "Expired"));
  EXPECT_EQ(bench->target(), "/api/v1/nodes?limit=500");
  bench->Answer(410, Status(410, "Expired"));

  EXPECT_TRUE(bench->AsksAgain(Milliseconds(800), Seconds(4)));
}

TEST(Reflector, AsksForNoFurtherPageWhileTheSinkIsFull) {
  Bench bench;
  bench.reflector.Start();
  bench.Answer(422, Status(422, "Invalid"));
  bench.sink.full = true;
  bench.Answer(200, Page(10, {Node("a", 1)}, "next"));
  EXPECT_EQ(bench.transport.started(), 2u);
  bench.sink.full = false;
  bench.reflector.Resume();

  EXPECT_THAT(bench.target(), HasSubstr("continue=next"));
}

TEST(Reflector, ARefreshEndsWhenAConsistentListHasBeenDelivered) {
  auto bench = Bench::Watching();
  int done = 0;
  const auto watch = bench->call();
  bench->reflector.Refresh([&] { ++done; });
  EXPECT_FALSE(bench->transport.is_open(watch));
  EXPECT_EQ(bench->Target(), kStreamingList);
  bench->OpenStream();
  bench->Send(Added("a", 1) + Added("b", 19));
  EXPECT_EQ(done, 0);
  bench->Send(InitialEnd(20));

  EXPECT_EQ(done, 1);
  EXPECT_THAT(bench->sink.Take(), ElementsAre("put b@19"));
}

TEST(Reflector, ARefreshOutlastsFailures) {
  auto bench = Bench::Watching();
  int done = 0;
  bench->transport.End(bench->call());
  bench->Answer(503, "busy");
  bench->reflector.Refresh([&] { ++done; });
  bench->timers.Advance(Seconds(2));
  EXPECT_EQ(bench->Target(), kStreamingList);
  bench->transport.Fail(bench->call(), Code::kUnavailable, "connection refused");
  bench->timers.Advance(Seconds(4));
  EXPECT_EQ(bench->Target(), kStreamingList);
  bench->Answer(422, Status(422, "Invalid"));
  EXPECT_EQ(bench->target(), "/api/v1/nodes?limit=500");
  EXPECT_EQ(done, 0);
  bench->Answer(200, Page(20, {Node("a", 1), Node("b", 2)}));

  EXPECT_EQ(done, 1);
}

std::string Protobuf(std::string_view json) {
  const Result<api::Document> document = api::ParseJson(json);
  return document ? api::wire::ToProtobuf(document->root()).value_or("") : "";
}

TEST(Reflector, UnderstandsPagesAndRefusalsInProtobuf) {
  const std::vector<net::Header> headers = {{"Content-Type", "application/vnd.kubernetes.protobuf"}};
  Bench bench;
  bench.reflector.Start();
  bench.transport.Answer(bench.call(), 504, Protobuf(Status(504, "Timeout", "Too large resource version: 7")), headers);
  EXPECT_EQ(bench.Target(), kStreamingList);
  bench.transport.Answer(bench.call(), 422, Protobuf(Status(422, "Invalid")), headers);
  EXPECT_EQ(bench.target(), "/api/v1/nodes?limit=500");
  const std::string page = R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"9"},
      "items":[{"metadata":{"name":"a","resourceVersion":"4"}}]})";
  bench.transport.Answer(bench.call(), 200, Protobuf(page), headers);

  EXPECT_THAT(bench.sink.Take(), ElementsAre("put a@4"));
  EXPECT_EQ(bench.Target(), WatchFrom(9));
}

TEST(Reflector, StopsAndStartsAgainWithoutRepeatingAnything) {
  auto bench = Bench::Watching();
  bench->reflector.Stop();
  EXPECT_EQ(bench->transport.open(), 0u);
  EXPECT_EQ(bench->timers.pending(), 0u);
  bench->reflector.Start();
  EXPECT_EQ(bench->Target(), StreamingListFrom(10));
  bench->OpenStream();
  bench->Send(Added("a", 1) + Added("b", 12) + InitialEnd(20));

  EXPECT_THAT(bench->sink.Take(), ElementsAre("put b@12"));
  EXPECT_EQ(bench->synced, 1);
}

}  // namespace
}  // namespace berth::client::reflector_test
