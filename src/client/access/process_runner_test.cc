// SPDX-License-Identifier: Apache-2.0
#include "client/access/process_runner.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/files.h"
#include "runtime/test_files.h"

namespace berth::client {
namespace {

// The thread of the test takes the part of the event loop.
class Mailbox {
 public:
  ProcessRunner::Post Post() {
    return [this](runtime::Timers::Work work) {
      std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
      ready_.notify_one();
    };
  }
  // False if nothing comes for ten seconds.
  bool RunOne() {
    std::unique_lock lock(mutex_);
    if (!ready_.wait_for(lock, std::chrono::seconds(10), [this] { return !work_.empty(); })) return false;
    runtime::Timers::Work work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<runtime::Timers::Work> work_;  // Guarded by mutex_.
};

Result<CommandOutput> RunToEnd(Command command, Duration time_max = Minutes(1)) {
  Mailbox mailbox;
  ProcessRunner runner(mailbox.Post(), time_max);
  std::optional<Result<CommandOutput>> result;
  runner.Run(std::move(command), [&](Result<CommandOutput> output) { result = std::move(output); });
  EXPECT_FALSE(result);
  EXPECT_TRUE(mailbox.RunOne());
  return result ? *std::move(result) : Fail(Code::kInternal, "nothing came");
}

// A process that has ended and was not waited for does not run.
bool IsRunning(pid_t pid) {
  const Result<std::string> stat = runtime::ReadFile("/proc/" + std::to_string(pid) + "/stat");
  return stat && stat->find(") Z ") == std::string::npos;
}

TEST(ProcessRunner, BringsBackOutputAndExitCode) {
  runtime::TestDirectory directory;
  std::string program =
      directory.WriteProgram("p", "#!/bin/sh\nread line\nprintf '%s|' \"$1\" \"$2\" \"$NAME\" \"$line\"\nexit 3\n");
  Result<CommandOutput> output = RunToEnd(Command{program, {"a b", "$HOME"}, {{"NAME", "v=w"}}});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit_code, 3);
  EXPECT_EQ(output->text, "a b|$HOME|v=w||");
}

TEST(ProcessRunner, LooksForABareNameInPath) {
  Result<CommandOutput> output = RunToEnd(Command{"sh", {"-c", "echo hello"}, {}});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->text, "hello\n");
}

TEST(ProcessRunner, AProgramThatIsNotThereIsNotFound) {
  Result<CommandOutput> output = RunToEnd(Command{"/nowhere/at/all", {}, {}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::kNotFound);
}

TEST(ProcessRunner, EndlessOutputIsAnError) {
  Result<CommandOutput> output =
      RunToEnd(Command{"sh", {"-c", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxx; done"}, {}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::kLimit);
}

TEST(ProcessRunner, ACommandThatHangsIsKilledWithAllThatItStarted) {
  runtime::TestDirectory directory;
  const std::string pid_file = directory.path() + "/pid";
  // The second one has closed its output, so that only its end can be waited for.
  for (const char* script : {"sleep 1000 & echo $! > $PID; wait", "exec >&-; sleep 1000 & echo $! > $PID; wait"}) {
    SCOPED_TRACE(script);
    const Result<CommandOutput> output = RunToEnd(Command{"sh", {"-c", script}, {{"PID", pid_file}}}, Seconds(1));

    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().code, Code::kDeadline);
    EXPECT_EQ(output.error().message, "the command took more than 1 s");
    const pid_t started = std::stoi(*runtime::ReadFile(pid_file));
    for (int i = 0; i < 1000 && IsRunning(started); ++i) usleep(10'000);
    EXPECT_FALSE(IsRunning(started));
  }
}

TEST(ProcessRunner, WhatACommandLeavesRunningIsNotWaitedFor) {
  runtime::TestDirectory directory;
  const std::string pid_file = directory.path() + "/pid";
  const Result<CommandOutput> output =
      RunToEnd(Command{"sh", {"-c", "sleep 1000 & echo $! > $PID; echo token"}, {{"PID", pid_file}}});
  kill(std::stoi(*runtime::ReadFile(pid_file)), SIGKILL);

  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->text, "token\n");
}

TEST(ProcessRunner, ACommandThatOnlyClosedItsOutputDoesNotHoldUpTheEnd) {
  Mailbox mailbox;
  {
    ProcessRunner runner(mailbox.Post());
    runner.Run(Command{"sh", {"-c", "exec >&-; sleep 1000"}, {}}, [](Result<CommandOutput>) { FAIL(); });
    usleep(50'000);  // By now it has, most likely.
  }
  EXPECT_TRUE(mailbox.RunOne());
}

TEST(ProcessRunner, KillsWhatStillRunsWhenItGoes) {
  Mailbox mailbox;
  auto start = std::chrono::steady_clock::now();
  {
    ProcessRunner runner(mailbox.Post());
    runner.Run(Command{"sh", {"-c", "sleep 60; echo late"}, {}}, [](Result<CommandOutput>) { FAIL(); });
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_TRUE(mailbox.RunOne());  // The report that came too late.
}

}  // namespace
}  // namespace berth::client
