// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/recording.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "record/replay.h"
#include "record/test_run.h"
#include "runtime/test_files.h"

namespace berth::scheduler_app {
namespace {

std::string ReadWhole(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Replayed {
  uint64_t steps = 0;
  bool is_finished = false;
};

Replayed ReplayOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  auto replay = record::Replay::Open(file, plugins::BuiltIn());
  if (!replay) {
    ADD_FAILURE() << replay.error().message;
    return {};
  }
  Result<bool> stepped = true;
  while (stepped && *stepped) stepped = (*replay)->Step();
  if (!stepped) ADD_FAILURE() << stepped.error().message;
  return {(*replay)->step_count(), !(*replay)->unfinished().has_value()};
}

class RecordingTest : public ::testing::Test {
 protected:
  std::unique_ptr<Recording> Create(int64_t limit_bytes = 0) {
    auto recording = Recording::Create(path_, limit_bytes, settings_);
    EXPECT_TRUE(recording) << recording.error().message;
    return recording ? *std::move(recording) : nullptr;
  }

  runtime::TestDirectory directory_;
  std::string path_ = directory_.path() + "/run.log";
  record::Settings settings_ = record::RandomRun::MakeSettings(1);
  scheduler::Input input_{settings_.start, scheduler::ScheduleNext{}};
};

TEST_F(RecordingTest, AnInputIsInTheFileBeforeItsStep) {
  const auto recording = Create();
  const size_t before = ReadWhole(path_).size();
  recording->BeforeStep(input_);

  EXPECT_GT(ReadWhole(path_).size(), before);
  EXPECT_EQ(ReplayOf(path_).steps, 1u);
  EXPECT_FALSE(ReplayOf(path_).is_finished);
}

TEST_F(RecordingTest, OnlyItsOwnerCanReadIt) {
  const mode_t before = umask(0);
  const auto recording = Create();
  umask(before);
  struct stat status{};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);

  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(RecordingTest, LogsOfEarlierRunsAreKeptUpToFive) {
  for (int run = 0; run < 8; ++run) {
    const auto recording = Create();
    // So that each log has as many steps as runs came before it.
    for (int step = 0; step < run; ++step) {
      recording->BeforeStep(input_);
      recording->AfterStep({});
    }
  }

  EXPECT_EQ(ReplayOf(path_).steps, 7u);
  EXPECT_TRUE(ReplayOf(path_).is_finished);
  for (uint64_t i = 1; i <= 5; ++i) EXPECT_EQ(ReplayOf(path_ + "." + std::to_string(i)).steps, 7 - i);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".6"));
}

TEST_F(RecordingTest, EndsProperlyAtItsLimit) {
  const auto recording = Create(1);
  for (int step = 0; step < 3; ++step) {
    recording->BeforeStep(input_);
    recording->AfterStep({});
  }

  EXPECT_EQ(ReplayOf(path_).steps, 1u);
  EXPECT_TRUE(ReplayOf(path_).is_finished);
}

TEST_F(RecordingTest, WhatIsNoFileStaysWhereItIs) {
  path_ = "/dev/null";
  EXPECT_NE(Create(), nullptr);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  path_ = directory_.path() + "/missing/run.log";
  EXPECT_FALSE(Recording::Create(path_, 0, settings_));
}

}  // namespace
}  // namespace berth::scheduler_app
