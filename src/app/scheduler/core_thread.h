// SPDX-License-Identifier: Apache-2.0
// CoreThread: the thread that owns the core of a live scheduler.
//
// It takes what the watches and answers bring, steps the core, and hands on what the core wants done, as plain orders.
// Inputs go before the next pod; a pod is tried whenever there is none, unless hundreds of bindings have not been
// answered: to run further ahead of a server that is busy would only take the processor from it. When all is done, it
// rests for a few milliseconds before it waits for more; a pod that waits for a node ends the rest, unless many have.
// Whoever wants to know something at once asks a question, which is answered on this thread between two steps; what
// takes longer is worked on by others (Questions), who touch the core while they hold the baton, which this thread
// lends them between two steps.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_set>
#include <variant>
#include <vector>

#include "app/scheduler/parallel.h"
#include "app/scheduler/recording.h"
#include "client/orders/orders.h"
#include "client/watch/object_sink.h"
#include "runtime/baton.h"
#include "runtime/clock.h"
#include "runtime/inbox.h"
#include "scheduler/core.h"

namespace berth::scheduler_app {

class CoreThread {
 public:
  using Question = std::move_only_function<void(const scheduler::Core&)>;
  struct StartScheduling {};
  struct StopScheduling {};  // No pod is taken up any more; what is under way goes on.
  using Item = std::variant<scheduler::PutObject, client::Decode, scheduler::RemoveObject, scheduler::EffectAnswer,
                            scheduler::Reconfigure, Question, StartScheduling, StopScheduling>;
  using CarryOut = std::move_only_function<void(std::vector<client::Order>)>;

  struct Parts {
    std::unique_ptr<scheduler::Core> core;
    std::unique_ptr<Recording> recording;  // May be null.
    const runtime::Clock& clock;
    CarryOut carry_out;                          // Called on this thread.
    std::move_only_function<void()> on_emptied;  // See runtime::Inbox; called on this thread.
    int32_t parallelism = 1;  // So many threads may work for plugins that allow it, this one included.
  };
  // The thread starts at once and tries no pod before StartScheduling.
  explicit CoreThread(Parts parts);
  // Ends after what it is doing.
  ~CoreThread();
  CoreThread(const CoreThread&) = delete;
  CoreThread& operator=(const CoreThread&) = delete;

  // Thread: any.
  runtime::Inbox<Item>& inbox() { return inbox_; }
  runtime::Baton& baton() { return baton_; }
  // REQUIRES: the caller has the baton whenever it touches the core.
  const scheduler::Core& core() const { return *core_; }

 private:
  void Run();
  // Lets some time pass, in which items gather.
  void Rest();
  // Waits for items, without the baton.
  void Await(std::vector<Item>& items);
  void Apply(Item item);
  void Step(scheduler::Input input);
  void HandOrdersOn();
  // Whether a pod is to be tried.
  bool HasWork() const;
  std::optional<Duration> MaxWait() const;

  std::unique_ptr<PoolParallelizer> parallelizer_;  // Null: there is one thread only.
  std::unique_ptr<scheduler::Core> core_;
  std::unique_ptr<Recording> recording_;
  const runtime::Clock& clock_;
  CarryOut carry_out_;
  runtime::Inbox<Item> inbox_;
  runtime::Baton baton_;
  bool scheduling_ = false;
  Time rests_until_{};  // Rests that were cut short are made up for until then.
  std::atomic<bool> stopping_ = false;
  std::vector<client::Order> orders_;        // Not yet handed on.
  std::unordered_set<uint64_t> unanswered_;  // The ids of bindings.
  std::jthread thread_;                      // Last: it uses all of the above.
};

}  // namespace berth::scheduler_app
