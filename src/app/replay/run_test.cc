// SPDX-License-Identifier: Apache-2.0
#include "app/replay/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "record/test_run.h"

namespace berth::replay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A log of a pod that is tried before and after a node is there.
class ReplayFileTest : public ::testing::Test {
 protected:
  ReplayFileTest() {
    std::ofstream file(path_, std::ios::binary);
    const record::Settings settings = record::RandomRun::MakeSettings(std::nullopt);
    record::Writer writer(file, settings);
    record::Recorder recorder(record::MakeCore(settings, plugins::BuiltIn()).value(), writer);
    const Time start = settings.start;
    recorder.Step({start, scheduler::PutObject{api::Node(cluster::NodeBuilder("small").Capacity("500m", "1Gi"))}});
    recorder.Step(
        {start,
         scheduler::PutObject{api::Pod(
             cluster::PodBuilder("a").SchedulerName("default-scheduler").Request("cpu", "1").ResourceVersion("1"))}});
    recorder.Step({start + Seconds(1), scheduler::ScheduleNext{}});
    recorder.Step(
        {start + Seconds(9), scheduler::PutObject{api::Node(cluster::NodeBuilder("n1").Capacity("4", "8Gi"))}});
    recorder.Step({start + Seconds(10), scheduler::PassTime{}});
    recorder.Step({start + Seconds(20), scheduler::ScheduleNext{}});
    writer.WriteEnd();
    EXPECT_TRUE(writer.ok());
    start_ = start;
  }
  ~ReplayFileTest() override { std::filesystem::remove(path_); }

  void CutTo(size_t size) { std::filesystem::resize_file(path_, size); }

  std::string path_ =
      ::testing::TempDir() + "berth-replay-" + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".log";
  Time start_;
};

TEST_F(ReplayFileTest, TellsWhatTheLogHolds) {
  const Result<Report> report = ReplayFile({.file = path_, .until = {}, .pod = ""});

  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_FALSE(report->problem.has_value());
  EXPECT_EQ(report->steps, 6u);
  EXPECT_EQ(report->inputs.at("PutObject"), 3u);
  EXPECT_EQ(report->effects.at("BindPod"), 1u);
  EXPECT_EQ(report->attempts.at("unschedulable"), 1u);
  EXPECT_EQ(report->binding, 1u);
  EXPECT_THAT(TableReport(*report),
              HasSubstr("6 steps from 1970-01-01T00:16:40.000000Z to 1970-01-01T00:17:00.000000Z"));
}

TEST_F(ReplayFileTest, StopsAtAnAttemptAndExplainsIt) {
  const Result<Report> first =
      ReplayFile({.file = path_, .until = {}, .pod = "default/a", .attempt = 1, .explain = true});
  const Result<Report> last = ReplayFile({.file = path_, .until = {}, .pod = "default/a", .explain = true});

  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(first->steps, 3u);
  EXPECT_EQ(first->attempt->outcome, "unschedulable");
  EXPECT_THAT(TableReport(*first), HasSubstr("none of 1 node fits"));
  ASSERT_TRUE(last.has_value()) << last.error().message;
  EXPECT_EQ(last->attempt->number, 2u);
  EXPECT_EQ(last->attempt->node, "n1");
  EXPECT_THAT(TableReport(*last), HasSubstr("goes to n1; 1 of 2 nodes fit"));
  EXPECT_THAT(JsonReport(*last), HasSubstr(R"("outcome": "scheduled")"));
}

TEST_F(ReplayFileTest, StopsAtATime) {
  const Result<Report> report = ReplayFile({.file = path_, .until = start_ + Seconds(9), .pod = "default/a"});

  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->attempt->number, 1u);
  EXPECT_EQ(ReplayFile({.file = path_, .until = start_ + Seconds(9), .pod = ""})->steps, 4u);
}

TEST_F(ReplayFileTest, RefusesWhatIsNotThere) {
  EXPECT_THAT(ReplayFile({.file = "/nonexistent", .until = {}, .pod = ""}).error().message,
              HasSubstr("no such file or directory"));
  EXPECT_EQ(ReplayFile({.file = path_, .until = {}, .pod = "default/b"}).error().message,
            "pod default/b: was not tried");
  EXPECT_EQ(ReplayFile({.file = path_, .until = {}, .pod = "default/a", .attempt = 3}).error().message,
            "pod default/a: was tried only 2 times");
}

TEST_F(ReplayFileTest, TellsOfDamageAfterWhatIsBeforeIt) {
  std::fstream(path_, std::ios::binary | std::ios::in | std::ios::out).seekp(-30, std::ios::end).put('x');

  const Result<Report> report = ReplayFile({.file = path_, .until = {}, .pod = ""});

  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_GE(report->steps, 5u);
  ASSERT_TRUE(report->problem.has_value());
  EXPECT_THAT(report->problem->message, StartsWith("offset "));
}

TEST_F(ReplayFileTest, ReplaysWhatThereIsOfALogThatWasCutOffAndSaysSo) {
  const size_t whole = std::filesystem::file_size(path_);
  EXPECT_FALSE(ReplayFile({.file = path_, .until = {}, .pod = ""})->unfinished.has_value());
  for (const size_t cut : {1u, 9u, 12u, 30u}) {
    SCOPED_TRACE(cut);
    CutTo(whole - cut);
    const Result<Report> report = ReplayFile({.file = path_, .until = {}, .pod = ""});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_FALSE(report->problem.has_value());
    EXPECT_GE(report->steps, 5u);
    EXPECT_THAT(TableReport(*report),
                HasSubstr("The log is unfinished: it is still being written, or its writer died"));
    EXPECT_THAT(JsonReport(*report), HasSubstr(R"("unfinished": ")"));
  }
}

}  // namespace
}  // namespace berth::replay
