// SPDX-License-Identifier: Apache-2.0
#include "client/reflector.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/test_network.h"

namespace berth::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Sink final : public ObjectSink {
 public:
  void Deliver(std::vector<Delivery> batch) override {
    for (const Delivery& delivery : batch) lines.push_back(Describe(delivery));
  }
  bool is_full() const override { return full; }
  std::vector<std::string> Take() { return std::exchange(lines, {}); }

  bool full = false;
  std::vector<std::string> lines;

 private:
  static std::string Describe(const Delivery& delivery) {
    if (const auto* put = std::get_if<scheduler::PutObject>(&delivery)) {
      const api::ObjectMeta& meta = api::MetaOf(put->object);
      return fmt::format("put {}@{}", meta.name, meta.resource_version);
    }
    const auto& removal = std::get<scheduler::RemoveObject>(delivery);
    return fmt::format("{} {} {}", removal.final_state_unknown ? "vanished" : "removed", removal.kind, removal.name);
  }
};

class Log final : public ReflectorObserver {
 public:
  void OnList(const WatchedResource&, Duration, size_t items) override { lists.push_back(items); }
  void OnWatch(const WatchedResource&, Duration, size_t events) override { watches.push_back(events); }
  void OnResourceVersion(const WatchedResource&, std::string_view version) override { resource_version = version; }
  void OnSkipped(const WatchedResource&, const std::string& why) override { skipped.push_back(why); }
  void OnFailure(const WatchedResource&, const std::string& message) override { failures.push_back(message); }

  std::vector<size_t> lists;
  std::vector<size_t> watches;
  std::string resource_version;
  std::vector<std::string> skipped;
  std::vector<std::string> failures;
};

const WatchedResource kNodes = {"Node", "v1", "nodes", ""};

std::string Node(std::string_view name, int version) {
  return fmt::format(R"({{"metadata":{{"name":"{}","resourceVersion":"{}"}}}})", name, version);
}

std::string Event(std::string_view type, std::string_view object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}

std::string Added(std::string_view name, int version) { return Event("ADDED", Node(name, version)); }

std::string Bookmark(int version) {
  return Event("BOOKMARK", fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}}}})", version));
}

std::string InitialEnd(int version) {
  constexpr std::string_view kEnd =
      R"({{"metadata":{{"resourceVersion":"{}","annotations":{{"k8s.io/initial-events-end":"true"}}}}}})";
  return Event("BOOKMARK", fmt::format(kEnd, version));
}

std::string Status(int code, std::string_view reason, std::string_view message = "because") {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","status":"Failure","code":{},"reason":"{}","message":"{}"}})", code,
      reason, message);
}

std::string Page(int version, std::vector<std::string> items, std::string_view next = "") {
  return fmt::format(R"({{"kind":"NodeList","metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})",
                     version, next, fmt::join(items, ","));
}

struct Bench {
  explicit Bench(WatchedResource resource = kNodes, Reflector::Options options = {})
      : client(transport, timers, *credentials, {"https://kube", "berth", 0, 0}, nullptr),
        reflector(client, timers, sink, log, std::move(resource), options, [this] { ++synced; }) {}

  // A reflector that has listed nodes a@1 and b@2 and watches from 10 on.
  static std::unique_ptr<Bench> Watching() {
    auto bench = std::make_unique<Bench>();
    bench->reflector.Start();
    bench->OpenStream();
    bench->Send(Added("a", 1) + Added("b", 2) + InitialEnd(10));
    EXPECT_EQ(bench->synced, 1);
    bench->sink.Take();
    return bench;
  }

  net::Transport::CallId call() const { return transport.last().id; }
  std::string target() const { return transport.last().request.target; }
  // The last request, without what is random.
  std::string Target() const {
    std::string text = target();
    const size_t begin = text.find("timeoutSeconds=");
    if (begin != std::string::npos) text.replace(begin, text.find('&', begin) - begin, "timeoutSeconds=T");
    return text;
  }
  void OpenStream() { transport.Head(call(), 200, {{"Content-Type", "application/json"}}); }
  void Send(std::string_view bytes) { transport.Body(call(), bytes); }
  void Answer(int status, std::string_view body) {
    transport.Answer(call(), status, body, {{"Content-Type", "application/json"}});
  }
  // True if a request is made within `limit`, and not before `least`.
  bool AsksAgain(Duration least, Duration limit) {
    const size_t before = transport.started();
    timers.Advance(least - Duration{1});
    if (transport.started() != before) return false;
    timers.Advance(limit - least + Duration{1});
    return transport.started() == before + 1;
  }

  TestTimers timers;
  TestTransport transport;
  std::unique_ptr<Credentials> credentials = NoCredentials();
  RestClient client;
  Sink sink;
  Log log;
  int synced = 0;
  Reflector reflector;
};

constexpr std::string_view kStreamingList =
    "/api/v1/nodes?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=T&"
    "watch=true";

std::string StreamingListFrom(int version) {
  return fmt::format(
      "/api/v1/nodes?allowWatchBookmarks=true&resourceVersion={}&resourceVersionMatch=NotOlderThan&"
      "sendInitialEvents=true&timeoutSeconds=T&watch=true",
      version);
}

std::string WatchFrom(int version) {
  return fmt::format("/api/v1/nodes?allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds=T&watch=true", version);
}

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

TEST(Reflector, ReadsEventsThatComeInPieces) {
  auto bench = Bench::Watching();
  const std::string bytes = Added("c", 11) + Event("MODIFIED", Node("c", 12));

  for (const char c : bytes) bench->Send(std::string_view(&c, 1));

  EXPECT_THAT(bench->sink.Take(), ElementsAre("put c@11", "put c@12"));
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
}  // namespace berth::client
