// SPDX-License-Identifier: Apache-2.0
// VirtualTimers: the timers of one simulated process, with a clock that may be wrong.

#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "runtime/agenda.h"
#include "runtime/timers.h"

namespace berth::sim {

class VirtualTimers final : public runtime::Timers {
 public:
  // `offset`: how much the clock is ahead of the world's. REQUIRES: the agenda outlives this.
  VirtualTimers(runtime::Agenda& agenda, Duration offset) : agenda_(agenda), offset_(offset) {}

  Time Now() const override { return agenda_.now() + offset_; }
  Time WallNow() const override { return Now(); }
  Id After(Duration delay, Work work) override {
    const Id id = ++last_id_;
    pending_->emplace(id, std::move(work));
    agenda_.After(std::max(delay, Duration{}), [pending = std::weak_ptr(pending_), id] {
      const auto alive = pending.lock();
      if (!alive) return;
      auto due = alive->extract(id);
      if (!due.empty()) due.mapped()();
    });
    return id;
  }
  void Cancel(Id id) override { pending_->erase(id); }

 private:
  runtime::Agenda& agenda_;
  const Duration offset_;
  Id last_id_ = 0;
  std::shared_ptr<std::map<Id, Work>> pending_ = std::make_shared<std::map<Id, Work>>();  // Dies with the process.
};

}  // namespace berth::sim
