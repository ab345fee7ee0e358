// SPDX-License-Identifier: Apache-2.0
// Questions: what is asked of a scheduler at work that takes longer than a moment.
//
// Each question has a thread, and works on a copy of the core. It touches the core and copies of it only while it holds
// the baton (runtime/baton.h), a turn at a time, and gives way at the points where it calls its pacer; so it never
// holds up a scheduling cycle for longer than a turn, nor other questions. A question ends early, by an error from its
// pacer, when its time is up, when its asker has gone and when the scheduler stops.
//
// Thread: Ask and the destructor from one thread, that of the event loop; the rest as said there.

#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"
#include "base/time.h"
#include "explain/pacer.h"
#include "runtime/baton.h"
#include "scheduler/core.h"

namespace berth::scheduler_app {

class Questions {
 public:
  struct Limits {
    size_t at_once = 4;
    Duration time = Seconds(30);  // For each, from when it was asked.
  };
  // Called on the question's thread, with the baton. What it makes of the core it lets go before it returns. The core
  // is the one at work: it may have changed after a pause.
  using Work = std::move_only_function<Result<std::string>(const scheduler::Core& core, explain::Pacer& pacer)>;
  // Makes of what was sent what is to be done; called on the question's thread, before it has the baton.
  using Read = std::move_only_function<Result<Work>()>;
  // Called on the question's thread, without the baton.
  using Done = std::move_only_function<void(Result<std::string> answer)>;

  // An asker lets go of it, and the question ends.
  class Asker {
   public:
    Asker() = default;
    explicit Asker(std::shared_ptr<std::atomic<bool>> gone) : gone_(std::move(gone)) {}
    ~Asker() { Go(); }
    Asker(Asker&&) = default;
    Asker& operator=(Asker&& other) noexcept {
      Go();
      gone_ = std::move(other.gone_);
      return *this;
    }

   private:
    void Go() {
      if (gone_) *gone_ = true;
    }
    std::shared_ptr<std::atomic<bool>> gone_;
  };

  // REQUIRES: the core and its thread, which owns the baton, outlive this.
  Questions(const scheduler::Core& core, runtime::Baton& baton, Limits limits)
      : core_(core), baton_(baton), limits_(limits) {}
  Questions(const scheduler::Core& core, runtime::Baton& baton) : Questions(core, baton, Limits()) {}
  // Ends all questions and waits for them.
  ~Questions();
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;

  // Fails with Code::kLimit, without a call of `done`, if there are as many as may be.
  Result<Asker> Ask(Read read, Done done);
  Result<Asker> Ask(Work work, Done done);
  // Under way.
  size_t size() const;

 private:
  struct Running {
    std::atomic<bool> has_ended = false;
    std::jthread thread;
  };

  const scheduler::Core& core_;
  runtime::Baton& baton_;
  Limits limits_;
  std::atomic<bool> stopping_ = false;
  std::list<Running> running_;
};

}  // namespace berth::scheduler_app
