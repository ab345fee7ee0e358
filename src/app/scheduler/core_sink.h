// SPDX-License-Identifier: Apache-2.0
// CoreSink: hands what the API server says to the core's thread.
//
// What comes in one turn of the event loop goes over in one piece: waking the core for every answer would cost more
// than the answer.
//
// Thread: that of the event loop.

#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "app/scheduler/core_thread.h"
#include "client/core_link.h"
#include "net/event_loop.h"

namespace berth::scheduler_app {

class CoreSink final : public client::CoreLink {
 public:
  CoreSink(CoreThread& core, net::EventLoop& loop) : core_(core), loop_(loop) {}

  void Deliver(std::vector<client::Delivery> batch) override {
    for (client::Delivery& delivery : batch) {
      are_urgent_ = are_urgent_ || IsUrgent(delivery);
      std::visit([&](auto& what) { Push(std::move(what)); }, delivery);
    }
  }
  void DeliverUndecoded(client::Decode decode) override {
    are_urgent_ = true;  // It may be.
    Push(std::move(decode));
  }
  bool is_full() const override { return core_.inbox().IsFull(); }
  void Answer(scheduler::EffectAnswer answer) override { Push(std::move(answer)); }
  void StartScheduling() override { Push(CoreThread::StartScheduling{}); }
  void StopScheduling() override { Push(CoreThread::StopScheduling{}); }
  void AwaitCore(std::move_only_function<void(bool)> done) override {
    Ask([this, done = std::move(done)](const scheduler::Core& core) mutable {
      const bool is_binding = core.bindings().size() > 0;
      loop_.Post([is_binding, done = std::move(done)]() mutable { done(is_binding); });
    });
  }
  void Reconfigure(framework::SchedulerConfiguration configuration) {
    Push(scheduler::Reconfigure{std::make_shared<const framework::SchedulerConfiguration>(std::move(configuration))});
  }
  // Answered on the core's thread between two steps, once all that was delivered before has been seen.
  void Ask(CoreThread::Question question) { Push(std::move(question)); }

 private:
  // A pod that waits for a node, which somebody may be waiting for.
  static bool IsUrgent(const client::Delivery& delivery) {
    const auto* const put = std::get_if<scheduler::PutObject>(&delivery);
    const auto* const pod = put == nullptr ? nullptr : std::get_if<api::Pod>(&put->object);
    return pod != nullptr && pod->node_name.empty();
  }

  template <class What>
  void Push(What what) {
    if (items_.empty()) {
      loop_.Post([this] { core_.inbox().Push(std::exchange(items_, {}), std::exchange(are_urgent_, false)); });
    }
    items_.emplace_back(std::move(what));
  }

  CoreThread& core_;
  net::EventLoop& loop_;
  std::vector<CoreThread::Item> items_;  // Of this turn.
  bool are_urgent_ = false;              // Some of them.
};

}  // namespace berth::scheduler_app
