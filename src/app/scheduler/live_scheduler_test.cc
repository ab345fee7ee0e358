// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/live_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "app/scheduler/test_api_server.h"
#include "client/request/connection.h"
#include "config/config.h"
#include "net/test_loopback.h"
#include "plugins/registry.h"
#include "record/settings.h"

namespace berth::scheduler_app {
namespace {

using End = LiveScheduler::End;
using testing::HasSubstr;

// A whole scheduler and its API server, which share a loop; the core has its own thread.
struct Live {
  net::Loopback world;
  TestApiServer api{world.loop};
  Options options;
  std::optional<SchedulerTelemetry> telemetry;
  std::unique_ptr<client::Connection> connection;
  std::optional<client::RestClient> client;
  std::optional<End> ended;
  std::unique_ptr<LiveScheduler> scheduler;

  Live() {
    options.configuration = config::Default(options.gates);
    options.configuration.client_connection.content_type = client::kJson;
    options.configuration.leader_election.retry_period = Milliseconds(50);
    for (int i = 0; i < 3; ++i) api.AddNode("node-" + std::to_string(i));
  }

  void Start() {
    telemetry.emplace(telemetry::Registry::Options{}, options);
    auto access = client::FindServer("", fmt::format("http://127.0.0.1:{}", api.port()), {});
    ASSERT_TRUE(access) << access.error().message;
    connection = *client::Connection::Create(world.loop, *std::move(access));
    client.emplace(connection->transport(), world.loop, connection->credentials(),
                   client::RestClient::Options{.server = connection->url(), .user_agent = "test", .qps = 0, .burst = 0},
                   &telemetry->requests);
    auto core = record::MakeCore({options.configuration, options.gates, 1, world.loop.Now()}, plugins::BuiltIn());
    ASSERT_TRUE(core) << core.error().message;
    (*core)->set_observer(&telemetry->core_observer);
    scheduler = std::make_unique<LiveScheduler>(world.loop, options, LiveScheduler::Clients{*client, *client, *client},
                                                LiveScheduler::Identity{"host", "uuid"}, *std::move(core), nullptr,
                                                *telemetry, [this](End end) { ended = end; });
    scheduler->Start();
  }

  void AddPods(int first, int end) {
    for (int i = first; i < end; ++i) api.AddPod("pod-" + std::to_string(i));
  }
  bool AwaitBound(size_t count) {
    return world.RunUntil([&] { return api.bound().size() == count; });
  }
  std::optional<End> Stop() {
    scheduler->Stop();
    world.RunUntil([&] { return ended.has_value(); });
    return ended;
  }
};

TEST(LiveScheduler, SchedulesWritesEventsAndGivesTheLeaseUp) {
  Live live;
  live.AddPods(0, 20);
  live.Start();
  ASSERT_TRUE(live.AwaitBound(20));
  live.AddPods(20, 30);
  ASSERT_TRUE(live.AwaitBound(30));

  EXPECT_TRUE(live.scheduler->is_leading());
  EXPECT_THAT(live.api.lease(), HasSubstr(R"("holderIdentity":"host_uuid")"));
  EXPECT_EQ(live.Stop(), End::kStopped);
  EXPECT_THAT(live.api.lease(), HasSubstr(R"("holderIdentity":"")"));
  EXPECT_EQ(live.api.Count("POST binding"), 30) << "none was bound twice";
  EXPECT_EQ(live.api.Count("POST events"), 31) << "one for each pod, one about the lease";
}

TEST(LiveScheduler, SaysWhyAPodFindsNoNodeAndTriesAgainWhenOneComes) {
  Live live;
  live.options.configuration.leader_election.leader_elect = false;
  live.options.configuration.profiles[0].scheduler_name = "default-scheduler";
  live.Start();
  ASSERT_TRUE(live.world.RunUntil([&] { return live.scheduler->is_synced(); }));
  live.api.AddPod("huge", "1000");
  ASSERT_TRUE(live.world.RunUntil([&] { return live.api.Count("PATCH status") == 1; }));
  live.api.AddNode("huge-node", "2000");
  ASSERT_TRUE(live.AwaitBound(1));

  EXPECT_EQ(live.api.bound().at("huge"), "huge-node");
  EXPECT_EQ(live.Stop(), End::kStopped);
}

TEST(LiveScheduler, WritesTheTimeOfDayAlsoAfterTheClockWasSet) {
  for (const Duration step : {Minutes(60 * 24 * 400), Minutes(-60 * 24 * 400)}) {
    Live live;
    live.Start();
    ASSERT_TRUE(live.world.RunUntil([&] { return live.scheduler->is_synced() && live.scheduler->is_leading(); }));
    live.world.wall_jump_nanos = step.nanos;
    const std::string year = FormatTime(live.world.loop.WallNow()).substr(0, 4);
    live.api.AddPod("huge", "1000");
    ASSERT_TRUE(live.world.RunUntil([&] { return live.api.Count("PATCH status") == 1; }));
    ASSERT_TRUE(live.world.RunUntil([&] { return live.api.lease().contains("\"renewTime\":\"" + year); }));

    EXPECT_THAT(live.api.last_patch(), HasSubstr("\"lastTransitionTime\":\"" + year));
    EXPECT_TRUE(live.scheduler->is_leading());
    live.api.AddNode("huge-node", "2000");
    EXPECT_TRUE(live.AwaitBound(1)) << "the core goes on";
    EXPECT_EQ(live.Stop(), End::kStopped);
  }
}

TEST(LiveScheduler, LosesNoPodWhenWatchesBreakOrAreTooOld) {
  Live live;
  live.Start();
  for (int i = 0; i < 60; i += 10) {
    live.AddPods(i, i + 10);
    live.world.RunFor(Milliseconds(40));
    live.api.DropConnections();
    if (i % 20 == 0) live.api.Compact();
  }
  ASSERT_TRUE(live.AwaitBound(60));
  EXPECT_EQ(live.Stop(), End::kStopped);
  EXPECT_EQ(live.api.Count("POST binding"), 60) << "none was bound twice";
}

TEST(LiveScheduler, ABindingThatFailsIsTriedAgainAndOneWhoseAnswerIsLostIsNot) {
  Live live;
  live.api.lost_answers = 3;
  live.api.refused_bindings = 3;
  live.AddPods(0, 10);
  live.Start();
  ASSERT_TRUE(live.AwaitBound(10));
  EXPECT_EQ(live.Stop(), End::kStopped);
  EXPECT_EQ(live.api.Count("POST binding"), 13) << "none was bound twice";
}

TEST(LiveScheduler, StopsThoughTheServerAnswersNothing) {
  Live live;
  live.api.is_silent = true;
  live.Start();
  live.world.RunFor(Milliseconds(20));
  EXPECT_FALSE(live.scheduler->is_synced());
  EXPECT_EQ(live.Stop(), End::kStopped);
}

TEST(LiveScheduler, ALeaseThatCannotBeRenewedEndsIt) {
  Live live;
  live.options.configuration.leader_election.renew_deadline = Milliseconds(200);
  live.Start();
  ASSERT_TRUE(live.world.RunUntil([&] { return live.scheduler->is_leading(); }));
  live.api.is_silent = true;
  ASSERT_TRUE(live.world.RunUntil([&] { return live.ended.has_value(); }));
  EXPECT_EQ(live.ended, End::kLeaseLost);
}

}  // namespace
}  // namespace berth::scheduler_app
