// SPDX-License-Identifier: Apache-2.0
#include "client/process_runner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "client/test_files.h"

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

Result<CommandOutput> RunToEnd(Command command) {
  Mailbox mailbox;
  ProcessRunner runner(mailbox.Post());
  std::optional<Result<CommandOutput>> result;
  runner.Run(std::move(command), [&](Result<CommandOutput> output) { result = std::move(output); });
  EXPECT_FALSE(result);
  EXPECT_TRUE(mailbox.RunOne());
  return result ? *std::move(result) : Fail(Code::kInternal, "nothing came");
}

TEST(ProcessRunner, BringsBackOutputAndExitCode) {
  TestDirectory directory;
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
