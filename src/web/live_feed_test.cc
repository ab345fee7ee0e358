// SPDX-License-Identifier: Apache-2.0
#include "web/live_feed.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/test_loopback.h"
#include "net/test_raw_peer.h"
#include "runtime/test_timers.h"
#include "scheduler/test_core.h"

namespace berth::web {
namespace {

using ::testing::HasSubstr;

size_t CountEvents(const std::string& text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// A feed of a core, served on a port; its time passes as the test runs the loop.
struct Watched {
  net::Loopback loopback;
  runtime::TestTimers timers;
  scheduler::World world;
  explain::Unhindered pacer;
  int reads = 0;
  LiveFeed feed{timers, [this](LiveFeed::Reading reading) {
                  ++reads;
                  if (reading.collect(world.core(), pacer)) reading.encode();
                  reading.done();
                }};
  net::FunctionHandler handler{
      [this](net::ServerRequest, net::Responder responder) { feed.Join(std::move(responder)); }};
  std::unique_ptr<net::HttpServer> server = loopback.Serve(handler);
  std::vector<std::unique_ptr<net::RawClient>> clients;

  net::RawPeer& Join() {
    net::RawClient& client = *clients.emplace_back(std::make_unique<net::RawClient>(loopback.loop, server->port()));
    EXPECT_TRUE(loopback.RunUntil([&] { return client.peer != nullptr; }));
    client.peer->socket().Write("GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return *client.peer;
  }
  bool RunUntil(const std::function<bool()>& condition) {
    return loopback.RunUntil([&] {
      timers.Advance(LiveFeed::kPeriod);
      return condition();
    });
  }
  bool Hears(const net::RawPeer& peer, std::string_view text) {
    return RunUntil([&] { return peer.received.contains(text); });
  }
};

TEST(LiveFeed, ViewersGetASnapshotThenChanges) {
  Watched watched;
  watched.world.Put(scheduler::Node("n1"));
  net::RawPeer& first = watched.Join();
  EXPECT_TRUE(watched.Hears(first, R"("name":"n1")"));
  EXPECT_THAT(first.received, HasSubstr("text/event-stream"));
  EXPECT_EQ(CountEvents(first.received, "event: snapshot"), 1U);

  watched.world.Put(scheduler::Node("n2"));

  EXPECT_TRUE(watched.Hears(first, R"("name":"n2")"));
  EXPECT_EQ(CountEvents(first.received, "event: snapshot"), 1U);
  EXPECT_EQ(CountEvents(first.received, "event: change"), 1U);
  net::RawPeer& second = watched.Join();
  EXPECT_TRUE(watched.Hears(second, R"("name":"n2")"));
  EXPECT_EQ(CountEvents(second.received, "event: change"), 0U);
}

TEST(LiveFeed, ChangesAreBatched) {
  Watched watched;
  net::RawPeer& viewer = watched.Join();
  EXPECT_TRUE(watched.Hears(viewer, "event: snapshot"));

  for (int i = 0; i < 500; ++i) watched.world.Put(scheduler::Node("n" + std::to_string(i)));

  EXPECT_TRUE(watched.Hears(viewer, R"("name":"n499")"));
  EXPECT_EQ(CountEvents(viewer.received, "event: change"), 1U);
}

TEST(LiveFeed, NothingIsReadWhileNobodyLooks) {
  Watched watched;
  EXPECT_EQ(watched.reads, 0);
  EXPECT_TRUE(watched.Hears(watched.Join(), "event: snapshot"));

  watched.clients.clear();

  EXPECT_TRUE(watched.RunUntil([&] { return watched.timers.pending() == 0; }));
  EXPECT_EQ(watched.feed.viewer_count(), 0U);
  watched.world.Put(scheduler::Node("later"));
  EXPECT_TRUE(watched.Hears(watched.Join(), R"("name":"later")"));
}

TEST(LiveFeed, WhoCannotFollowGetsASnapshotInstead) {
  Watched watched;
  net::RawPeer& quick = watched.Join();
  net::RawPeer& slow = watched.Join();
  EXPECT_TRUE(watched.Hears(slow, "event: snapshot"));
  slow.socket().PauseReading(true);

  // More than all buffers on the way hold.
  constexpr int kTurns = 300;
  const std::string padding(60'000, 'x');
  for (int turn = 0; turn < kTurns; ++turn) {
    api::Node node = scheduler::Node("n1");
    node.meta.labels.Set("padding", padding);
    node.meta.labels.Set("turn", std::to_string(turn));
    watched.world.Put(std::move(node));
    ASSERT_TRUE(watched.Hears(quick, fmt::format("\"turn\":\"{}\"", turn)));
    quick.received.clear();
  }
  slow.socket().PauseReading(false);

  EXPECT_TRUE(watched.Hears(slow, fmt::format("\"turn\":\"{}\"", kTurns - 1)));
  EXPECT_EQ(CountEvents(slow.received, "event: snapshot"), 2U);
  EXPECT_LT(CountEvents(slow.received, "event: change"), static_cast<size_t>(kTurns));
}

TEST(LiveFeed, NotAnyNumberMayLook) {
  Watched watched;
  for (size_t i = 0; i < LiveFeed::kViewersMax; ++i) watched.Join();
  EXPECT_TRUE(watched.RunUntil([&] { return watched.feed.viewer_count() == LiveFeed::kViewersMax; }));

  net::RawPeer& refused = watched.Join();

  EXPECT_TRUE(watched.Hears(refused, "HTTP/1.1 429"));
  EXPECT_TRUE(watched.Hears(*watched.clients.front()->peer, "event: snapshot"));
}

}  // namespace
}  // namespace berth::web
