// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/questions.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler_app {
namespace {

using Clock = runtime::Baton::Clock;

// Holds the baton while it lives, apart from pauses.
class TurnPacer final : public explain::Pacer {
 public:
  TurnPacer(runtime::Baton& baton, Clock::time_point deadline, const std::atomic<bool>& stopping,
            const std::atomic<bool>& asker_has_gone)
      : baton_(baton), deadline_(deadline), stopping_(stopping), asker_has_gone_(asker_has_gone) {
    Begin();
  }
  ~TurnPacer() override { baton_.GiveAsGuest(); }
  TurnPacer(const TurnPacer&) = delete;
  TurnPacer& operator=(const TurnPacer&) = delete;

  Result<void> Pause() override {
    const Clock::time_point now = Clock::now();
    if (now >= turn_ends_ && baton_.IsAwaited()) {
      baton_.GiveAsGuest();
      Begin();
    }
    if (now >= deadline_) return Fail(Code::kDeadline, "the question takes too long");
    if (stopping_) return Fail(Code::kUnavailable, "the scheduler is stopping");
    if (asker_has_gone_) return Fail(Code::kGone, "nobody waits for the answer any more");
    return {};
  }

 private:
  void Begin() {
    baton_.TakeAsGuest();
    turn_ends_ = Clock::now() + runtime::Baton::kTurn;
  }

  runtime::Baton& baton_;
  Clock::time_point deadline_;
  Clock::time_point turn_ends_;
  const std::atomic<bool>& stopping_;
  const std::atomic<bool>& asker_has_gone_;
};

// What it returns, or what it throws as an error.
template <class Function, class... Arguments>
auto Caught(Function& function, Arguments&... arguments) -> decltype(function(arguments...)) {
  try {
    return function(arguments...);
  } catch (const std::exception& thrown) {
    return Fail(Code::kInternal, fmt::format("the question failed: {}", thrown.what()));
  }
}

}  // namespace

Questions::~Questions() { stopping_ = true; }

size_t Questions::size() const {
  return static_cast<size_t>(std::ranges::count(running_, false, [](const Running& r) { return r.has_ended.load(); }));
}

Result<Questions::Asker> Questions::Ask(Work work, Done done) {
  return Ask(Read([work = std::move(work)]() mutable -> Result<Work> { return std::move(work); }), std::move(done));
}

Result<Questions::Asker> Questions::Ask(Read read, Done done) {
  running_.remove_if([](const Running& running) { return running.has_ended.load(); });
  if (running_.size() >= limits_.at_once) {
    return Fail(Code::kLimit,
                fmt::format("{} questions are being answered, which is as many as may be at once", running_.size()));
  }
  auto gone = std::make_shared<std::atomic<bool>>(false);
  const Clock::time_point deadline = Clock::now() + std::chrono::nanoseconds(limits_.time.nanos);
  Running& running = running_.emplace_back();
  running.thread =
      std::jthread([this, deadline, gone, &running, read = std::move(read), done = std::move(done)]() mutable {
        pthread_setname_np(pthread_self(), "berth-question");
        Result<std::string> answer;
        if (Result<Work> work = Caught(read); !work) {
          answer = std::unexpected(work.error());
        } else {
          TurnPacer pacer(baton_, deadline, stopping_, *gone);
          const Result<void> goes_on = pacer.Pause();
          answer = goes_on ? Caught(*work, core_, pacer) : Result<std::string>(std::unexpected(goes_on.error()));
        }
        running.has_ended = true;  // Before the answer: whoever has it may ask the next question.
        done(std::move(answer));
      });
  return Asker(std::move(gone));
}

}  // namespace berth::scheduler_app
