// SPDX-License-Identifier: Apache-2.0
#include "runtime/baton.h"

namespace berth::runtime {

void Baton::PassOn() {
  holder_ = Holder::kNobody;
  if (owner_waits_) {
    holder_ = Holder::kOwner;
    owners_turn_.notify_one();
  } else if (!guests_.empty()) {
    holder_ = Holder::kGuest;
    Guest& next = *guests_.front();
    guests_.pop_front();
    next.has_it = true;
    next.turn.notify_one();
  }
}

void Baton::Take() {
  std::unique_lock lock(mutex_);
  if (holder_ == Holder::kNobody) {
    holder_ = Holder::kOwner;
  } else {
    owner_waits_ = true;
    owners_turn_.wait(lock, [this] { return holder_ == Holder::kOwner; });
    owner_waits_ = false;
  }
  owner_since_ = Clock::now();
}

void Baton::Give() {
  const std::lock_guard lock(mutex_);
  PassOn();
}

void Baton::LetOneIn() {
  std::unique_lock lock(mutex_);
  if (guests_.empty() || Clock::now() - owner_since_ < kOwnersTurn) return;
  PassOn();
  owner_waits_ = true;
  owners_turn_.wait(lock, [this] { return holder_ == Holder::kOwner; });
  owner_waits_ = false;
  owner_since_ = Clock::now();
}

void Baton::TakeAsGuest() {
  std::unique_lock lock(mutex_);
  if (holder_ == Holder::kNobody) {
    holder_ = Holder::kGuest;
    return;
  }
  Guest self;
  guests_.push_back(&self);
  waiting_.fetch_add(1, std::memory_order_relaxed);
  self.turn.wait(lock, [&] { return self.has_it; });
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

void Baton::GiveAsGuest() {
  const std::lock_guard lock(mutex_);
  PassOn();
}

}  // namespace berth::runtime
