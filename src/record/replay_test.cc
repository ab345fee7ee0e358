// SPDX-License-Identifier: Apache-2.0
#include "record/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "record/test_run.h"

namespace berth::record {
namespace {

using ::testing::HasSubstr;

struct ReplayOutcome {
  uint64_t steps = 0;
  size_t effects = 0;
  size_t attempts = 0;
  std::optional<Error> error;
};

ReplayOutcome ReplayAll(const std::string& log) {
  ReplayOutcome outcome;
  std::istringstream in(log);
  const Result<std::unique_ptr<Replay>> replay = Replay::Open(in, plugins::BuiltIn());
  EXPECT_TRUE(replay.has_value()) << replay.error().message;
  while (true) {
    const Result<bool> stepped = (*replay)->Step();
    if (!stepped) outcome.error = stepped.error();
    if (!stepped || !*stepped) break;
    outcome.effects += (*replay)->effects().size();
    if ((*replay)->core().last_attempt()) ++outcome.attempts;
  }
  outcome.steps = (*replay)->step_count();
  return outcome;
}

TEST(Replay, RandomRunsHaveTheSameEffectsAgain) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Settings settings = RandomRun::MakeSettings(seed % 2 == 0 ? std::optional(seed) : std::nullopt);
    std::ostringstream out;
    RandomRun run(out, settings, seed);
    run.Run(400);
    ASSERT_TRUE(run.writer().ok());

    const ReplayOutcome outcome = ReplayAll(out.str());

    EXPECT_FALSE(outcome.error.has_value()) << outcome.error->message;
    EXPECT_EQ(outcome.steps, 400u);
    EXPECT_EQ(outcome.effects, run.effect_count());
    EXPECT_GT(outcome.attempts, 10u);
  }
}

class ReplayOfOnePod : public ::testing::Test {
 protected:
  void Write(const Settings& settings, bool wrong_digest) {
    Writer writer(log_, settings);
    Recorder recorder(MakeCore(settings, plugins::BuiltIn()).value(), writer);
    const Time start = settings.start;
    recorder.Step({start, scheduler::PutObject{api::Node(cluster::NodeBuilder("n1").Capacity("4", "8Gi"))}});
    recorder.Step({start, scheduler::PutObject{api::Pod(
                              cluster::PodBuilder("a").SchedulerName("default-scheduler").ResourceVersion("1"))}});
    recorder.Step({start + Seconds(1), scheduler::ScheduleNext{}});
    if (!wrong_digest) return;
    writer.WriteInput({start + Seconds(2), scheduler::PassTime{}});
    writer.WriteDigest(42);
  }

  std::stringstream log_;
};

TEST_F(ReplayOfOnePod, StopsWhereItIsAskedTo) {
  const Settings settings = RandomRun::MakeSettings(std::nullopt);
  Write(settings, false);
  const std::unique_ptr<Replay> replay = Replay::Open(log_, plugins::BuiltIn()).value();

  while (!TriedPod(*replay, "default/a")) ASSERT_TRUE(replay->Step().value());

  const scheduler::Core::LastAttempt& attempt = *replay->core().last_attempt();
  EXPECT_EQ(attempt.decision.outcome, scheduler::Outcome::kScheduled);
  EXPECT_EQ(replay->now(), settings.start + Seconds(1));
  EXPECT_FALSE(TriedPod(*replay, "default/b"));
  EXPECT_EQ(replay->PeekTime().value(), std::nullopt);
  EXPECT_FALSE(replay->Step().value());
}

TEST_F(ReplayOfOnePod, NamesTheStepWhoseEffectsDiffer) {
  Write(RandomRun::MakeSettings(std::nullopt), true);

  const ReplayOutcome outcome = ReplayAll(log_.str());

  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->code, Code::kConflict);
  EXPECT_THAT(outcome.error->message, HasSubstr("step 4 at 1970-01-01T00:16:42.000000Z has other effects"));
}

TEST(Replay, RefusesEntriesOutOfOrder) {
  const Settings settings = RandomRun::MakeSettings(std::nullopt);
  const auto error = [&](auto write) {
    std::stringstream log;
    Writer writer(log, settings);
    write(writer);
    return ReplayAll(log.str()).error.value().message;
  };
  const scheduler::Input pass{settings.start, scheduler::PassTime{}};
  const scheduler::Input early{settings.start - Seconds(1), scheduler::PassTime{}};

  EXPECT_THAT(error([&](Writer& writer) { writer.WriteDigest(1); }), HasSubstr("a digest without an input"));
  EXPECT_THAT(error([&](Writer& writer) { writer.WriteInput(early); }), HasSubstr("time goes back"));
  EXPECT_THAT(error([&](Writer& writer) {
                writer.WriteInput(pass);
                writer.WriteInput(pass);
              }),
              HasSubstr("an input instead of a digest"));
}

TEST(Replay, TheLastStepMayLackItsDigest) {
  const Settings settings = RandomRun::MakeSettings(std::nullopt);
  std::stringstream log;
  Writer(log, settings).WriteInput({settings.start, scheduler::PassTime{}});

  const ReplayOutcome outcome = ReplayAll(log.str());

  EXPECT_FALSE(outcome.error.has_value());
  EXPECT_EQ(outcome.steps, 1u);
}

}  // namespace
}  // namespace berth::record
