// SPDX-License-Identifier: Apache-2.0
// Loop: does something again and again, with a wait between, until it is stopped.
//
// With a sliding period the wait begins when a run has ended, else it begins when the run does; a run that took longer
// is then followed by the next at once. An exception in a run is reported and survived. How long to wait is asked for
// each time, so a loop can jitter or back off.
//
//   Loop sweep(timers, {.delay = Every(Seconds(1))}, [this] { Sweep(); });
//   sweep.Start();
//
// A run that goes on after its function has returned, because it waits for an answer, says Hold() in it and Resume()
// when it has ended. One that throws has ended.
//
// Thread: that of the timers.

#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

#include "runtime/backoff.h"
#include "runtime/timers.h"

namespace berth::runtime {

// How long to wait, asked at this time.
using Delay = std::move_only_function<Duration(Time now)>;

Delay Every(Duration period);
// Each wait jittered by itself; see Jitter. A factor of 0 or less: none is.
Delay JitteredEvery(Duration period, double factor, uint64_t seed);
Delay BackingOff(const Backoff& backoff, Duration reset, uint64_t seed);

// Logs what a run threw.
void LogCrash(std::string_view what);

class Loop {
 public:
  struct Options {
    Delay delay;
    bool sliding = true;
    // Looked at before each run, and may be set by any thread. A loop whose owner stops it needs none.
    std::stop_token stop = {};
    std::move_only_function<void(std::string_view what)> on_crash = LogCrash;
  };

  // `run` may stop and start the loop but not destroy it.
  Loop(Timers& timers, Options options, Timers::Work run);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Begins anew, with a run inside this call.
  void Start();
  // Begins anew, with a wait.
  void StartLater();
  // No run begins any more. One that is held is forgotten.
  void Stop();
  bool is_running() const { return state_ != State::kStopped; }

  // The run goes on after its function has returned, until Resume. REQUIRES: called by the run.
  void Hold();
  // It has ended. Harmless if the loop was stopped or begun anew meanwhile.
  void Resume();

 private:
  enum class State : uint8_t { kStopped, kRunning, kHeld, kWaiting };

  void Run();
  // False: the run threw.
  bool Survive();
  void Wait();

  Timers& timers_;
  Options options_;
  Timers::Work run_;
  Timer timer_;
  State state_ = State::kStopped;
  uint64_t run_id_ = 0;
  Time due_{};  // When the next run is, if the period does not slide.
};

}  // namespace berth::runtime
