// SPDX-License-Identifier: Apache-2.0
#include "server/local_transport.h"

#include <gtest/gtest.h>

#include <optional>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

struct World {
  World() : transport(std::in_place, api, cluster.timers) {}

  // Lets everything happen that is about to.
  void Settle() { cluster.timers.Advance(Milliseconds(10)); }
  void AddMap(std::string_view name) {
    cluster.Create("", "configmaps", "metadata: {name: " + std::string(name) + "}");
  }

  TestCluster cluster{false};
  ApiServer api{cluster.catalog, cluster.store, cluster.objects, cluster.timers, 3};
  std::optional<LocalTransport> transport;
};

struct Answer {
  int status = 0;
  std::string body;
  std::optional<Result<void>> end;

  net::Receiver Receiver() {
    return {.on_head = [this](const net::ResponseHead& head) { status = head.status; },
            .on_body = [this](std::string_view piece) { body += piece; },
            .on_end = [this](Result<void> result) { end = std::move(result); }};
  }
};

net::Request Get(std::string target) {
  net::Request request;
  request.target = std::move(target);
  return request;
}

constexpr const char* kWatch = "/api/v1/namespaces/default/configmaps?watch=true";

TEST(LocalTransport, BringsAnswers) {
  World world;
  world.AddMap("a");
  Answer answer;
  world.transport->Start(Get("/api/v1/namespaces/default/configmaps/a"), answer.Receiver());
  EXPECT_EQ(answer.status, 0) << "never inside Start";
  world.Settle();
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body.find("\"name\":\"a\""), std::string::npos);
  ASSERT_TRUE(answer.end);
  EXPECT_TRUE(*answer.end);
}

TEST(LocalTransport, BringsWatches) {
  World world;
  Answer answer;
  const auto call = world.transport->Start(Get(kWatch), answer.Receiver());
  world.Settle();
  world.AddMap("a");
  world.Settle();
  EXPECT_NE(answer.body.find("ADDED"), std::string::npos);
  EXPECT_EQ(world.api.watch_count(), 1U);
  world.transport->Cancel(call);
  world.Settle();
  EXPECT_EQ(world.api.watch_count(), 0U);
  EXPECT_FALSE(answer.end) << "nothing once it is cancelled";
}

TEST(LocalTransport, ACallCancelledBeforeItWasHeardIsNone) {
  World world;
  Answer answer;
  world.transport->Cancel(world.transport->Start(Get(kWatch), answer.Receiver()));
  world.Settle();
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(world.api.watch_count(), 0U);
}

TEST(LocalTransport, MayBeCancelledInsideItsCallbacks) {
  World world;
  net::Transport::CallId call = 0;
  int pieces = 0;
  net::Receiver receiver;
  receiver.on_body = [&](std::string_view) {
    ++pieces;
    world.transport->Cancel(call);
  };
  call = world.transport->Start(Get(kWatch), std::move(receiver));
  world.Settle();
  world.AddMap("a");
  world.AddMap("b");
  world.Settle();
  world.AddMap("c");
  world.Settle();
  EXPECT_EQ(pieces, 1);
  EXPECT_EQ(world.api.watch_count(), 0U);
  Answer answer;
  net::Receiver at_head = answer.Receiver();
  at_head.on_head = [&](const net::ResponseHead&) { world.transport->Cancel(call); };
  call = world.transport->Start(Get("/api/v1/namespaces"), std::move(at_head));
  world.Settle();
  EXPECT_TRUE(answer.body.empty());
  EXPECT_FALSE(answer.end);
}

TEST(LocalTransport, HoldsBackWhileItIsPaused) {
  World world;
  Answer answer;
  const auto call = world.transport->Start(Get(kWatch), answer.Receiver());
  world.Settle();
  world.transport->Pause(call, true);
  world.AddMap("a");
  world.AddMap("b");
  world.Settle();
  EXPECT_TRUE(answer.body.empty());
  world.transport->Pause(call, false);
  EXPECT_TRUE(answer.body.empty()) << "never inside Pause";
  world.Settle();
  EXPECT_LT(answer.body.find("\"name\":\"a\""), answer.body.find("\"name\":\"b\""));
  world.AddMap("c");
  world.Settle();
  EXPECT_NE(answer.body.find("\"name\":\"c\""), std::string::npos);
}

TEST(LocalTransport, AnAnswerThatEndsWhileItIsPausedEndsLater) {
  World world;
  Answer answer;
  const auto call = world.transport->Start(Get("/api/v1/namespaces"), answer.Receiver());
  world.transport->Pause(call, true);
  world.Settle();
  EXPECT_FALSE(answer.end);
  world.transport->Pause(call, false);
  world.Settle();
  ASSERT_TRUE(answer.end);
  EXPECT_FALSE(answer.body.empty());
}

TEST(LocalTransport, TheServerHearsThatItsClientIsGone) {
  World world;
  Answer answer;
  world.transport->Start(Get(kWatch), answer.Receiver());
  world.Settle();
  ASSERT_EQ(world.api.watch_count(), 1U);
  world.transport.reset();
  world.Settle();
  EXPECT_EQ(world.api.watch_count(), 0U);
  world.AddMap("a");
  world.Settle();
  EXPECT_TRUE(answer.body.empty());
}

TEST(LocalTransport, AServerThatGoesCutsTheStream) {
  TestCluster cluster(false);
  auto api = std::make_unique<ApiServer>(cluster.catalog, cluster.store, cluster.objects, cluster.timers, 3);
  LocalTransport transport(*api, cluster.timers);
  Answer answer;
  transport.Start(Get(kWatch), answer.Receiver());
  cluster.timers.Advance(Milliseconds(10));
  api.reset();
  ASSERT_TRUE(answer.end);
  EXPECT_FALSE(*answer.end);
}

}  // namespace
}  // namespace berth::server
