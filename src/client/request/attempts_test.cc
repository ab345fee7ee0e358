// SPDX-License-Identifier: Apache-2.0
#include "client/request/attempts.h"

#include <gtest/gtest.h>

#include <optional>

#include "client/request/test_api.h"

namespace berth::client {
namespace {

constexpr RetryRule kForever = {
    .backoff = {.duration = Seconds(1), .factor = 2, .steps = kTriesUnlimited, .cap = Seconds(4)},
    .covers = [](const CallEnd&) { return true; }};

struct AttemptsWorld {
  void Send(const RetryRule& rule) {
    attempts->Send(RestRequest{}, rule, [this](CallEnd ended) { outcome = std::move(ended); });
  }
  TestApi api;
  std::optional<CallEnd> outcome;
  std::unique_ptr<Attempts> attempts = std::make_unique<Attempts>(api.client, api.timers, 1);
};

TEST(Attempts, WaitLongerFromTryToTryUpToALimit) {
  AttemptsWorld world;
  world.Send(kForever);
  size_t tries = 1;
  for (const int64_t seconds : {1, 2, 4, 4, 4}) {
    world.api.Refuse(500, "InternalError", "oops");
    world.api.timers.Advance(Seconds(seconds) - Duration{1});
    EXPECT_EQ(world.api.transport.started(), tries);
    world.api.timers.Advance(Duration{1});
    EXPECT_EQ(world.api.transport.started(), ++tries);
  }
  EXPECT_FALSE(world.outcome.has_value());
  world.api.Answer(200, "fine");
  ASSERT_TRUE(world.outcome.has_value());
  EXPECT_TRUE(world.outcome->ok());
  EXPECT_EQ(world.outcome->answer.body, "fine");
  EXPECT_FALSE(world.outcome->may_be_done) << "it is known to be done";
}

TEST(Attempts, RememberThatAnEarlierTryMayHaveBeenCarriedOut) {
  AttemptsWorld world;
  RetryRule rule = kForever;
  rule.backoff.steps = 2;
  world.Send(rule);
  world.api.Refuse(500, "InternalError", "oops");
  world.api.timers.Advance(Seconds(1));
  world.api.Refuse(403, "Forbidden", "no");
  ASSERT_TRUE(world.outcome.has_value());
  EXPECT_TRUE(world.outcome->is_refusal(403));
  EXPECT_EQ(world.outcome->error.message, "no");
  EXPECT_TRUE(world.outcome->may_be_done);
}

TEST(Attempts, AreNotHeardOfOnceTheyAreGone) {
  AttemptsWorld world;
  world.Send(kForever);
  world.Send(kForever);
  world.api.Refuse(500, "InternalError", "oops");
  world.attempts.reset();
  EXPECT_EQ(world.api.transport.open(), 0u);
  EXPECT_EQ(world.api.timers.pending(), 0u);
}

TEST(Attempts, AddJitterWithinItsBounds) {
  AttemptsWorld world;
  RetryRule rule = kForever;
  rule.backoff = {.duration = Seconds(10), .jitter = 0.25, .steps = kTriesUnlimited};
  world.Send(rule);
  for (size_t tries = 1; tries < 50; ++tries) {
    world.api.Refuse(500, "InternalError", "oops");
    world.api.timers.Advance(Seconds(10) - Duration{1});
    EXPECT_EQ(world.api.transport.started(), tries);
    world.api.timers.Advance(Milliseconds(2'500));
    EXPECT_EQ(world.api.transport.started(), tries + 1);
  }
}

}  // namespace
}  // namespace berth::client
