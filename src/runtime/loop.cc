// SPDX-License-Identifier: Apache-2.0
#include "runtime/loop.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/assert.h"
#include "telemetry/log.h"

namespace berth::runtime {

Delay Every(Duration period) {
  return [period](Time) { return period; };
}

Delay JitteredEvery(Duration period, double factor, uint64_t seed) {
  if (factor <= 0) return Every(period);
  return [period, factor, random = Random(seed)](Time) mutable { return Jitter(period, factor, random); };
}

Delay BackingOff(const Backoff& backoff, Duration reset, uint64_t seed) {
  return [manager = BackoffManager(backoff, reset, seed)](Time now) mutable { return manager.Next(now); };
}

void LogCrash(std::string_view what) { telemetry::LogError("A loop survived an exception", "err", what); }

Loop::Loop(Timers& timers, Options options, Timers::Work run)
    : timers_(timers), options_(std::move(options)), run_(std::move(run)), timer_(timers) {}

void Loop::Start() {
  timer_.Stop();
  Run();
}

void Loop::StartLater() {
  due_ = timers_.Now() + options_.delay(timers_.Now());
  state_ = State::kWaiting;
  timer_.Start(due_ - timers_.Now(), [this] { Run(); });
}

void Loop::Stop() {
  state_ = State::kStopped;
  timer_.Stop();
}

void Loop::Hold() {
  BERTH_ASSERT(state_ != State::kWaiting && state_ != State::kHeld);
  if (state_ == State::kRunning) state_ = State::kHeld;
}

void Loop::Resume() {
  if (state_ == State::kHeld) Wait();
}

bool Loop::Survive() {
  try {
    run_();
    return true;
  } catch (const std::exception& error) {
    options_.on_crash(error.what());
  } catch (...) {
    options_.on_crash("an exception of unknown type");
  }
  return false;
}

void Loop::Run() {
  if (options_.stop.stop_requested()) return Stop();
  const Time start = timers_.Now();
  if (!options_.sliding) due_ = start + options_.delay(start);
  state_ = State::kRunning;
  const uint64_t id = ++run_id_;
  const bool crashed = !Survive();
  // The run may have begun the loop anew.
  if (id == run_id_ && (state_ == State::kRunning || (crashed && state_ == State::kHeld))) Wait();
}

void Loop::Wait() {
  const Time now = timers_.Now();
  if (options_.sliding) due_ = now + options_.delay(now);
  state_ = State::kWaiting;
  timer_.Start(std::max(due_ - now, Duration{}), [this] { Run(); });
}

}  // namespace berth::runtime
