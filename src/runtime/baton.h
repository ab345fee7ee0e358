// SPDX-License-Identifier: Apache-2.0
// Baton: the right to touch what belongs to one thread, which its owner lends to others for short whiles.
//
// The owner has it while it works and gives it up when it waits. Between two pieces of its work it lets one guest have
// a turn, if it has worked for three times as long as a turn takes; guests take turns in the order in which they came.
// Wherever the owner and guests wait, the owner is next; while nobody waits, a guest goes on. So the owner waits for
// one turn at most, keeps three quarters of the time whatever is asked of it, and no guest holds up another for longer
// than a few turns.
//
// Thread: the owner's calls from one thread, those of guests from any.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>

namespace berth::runtime {

class Baton {
 public:
  using Clock = std::chrono::steady_clock;
  // How long a guest keeps the baton that others wait for.
  static constexpr Clock::duration kTurn = std::chrono::microseconds(500);
  // How long the owner keeps it before it lets a guest have a turn.
  static constexpr Clock::duration kOwnersTurn = 3 * kTurn;

  Baton() = default;
  Baton(const Baton&) = delete;
  Baton& operator=(const Baton&) = delete;

  // The owner takes the baton, and gives it up.
  void Take();
  void Give();
  // The owner has come to a point where others may look. Cost: one read while nobody waits.
  void Yield() {
    if (waiting() > 0) LetOneIn();
  }

  // Guests that wait.
  size_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

  // A guest takes the baton, and gives it back once it has had it for kTurn and others wait.
  void TakeAsGuest();
  void GiveAsGuest();
  // Whether the owner or another guest waits.
  bool IsAwaited() const { return owner_waits_.load(std::memory_order_relaxed) || waiting() > 0; }

 private:
  enum class Holder { kNobody, kOwner, kGuest };
  struct Guest {
    std::condition_variable turn;
    bool has_it = false;
  };

  void LetOneIn();
  // Passes the baton to whoever is next. REQUIRES: the lock is held, and nobody holds the baton.
  void PassOn();

  std::mutex mutex_;
  std::condition_variable owners_turn_;
  Holder holder_ = Holder::kNobody;
  std::atomic<bool> owner_waits_ = false;
  Clock::time_point owner_since_;
  std::list<Guest*> guests_;  // That wait, in order.
  std::atomic<size_t> waiting_ = 0;
};

// Gives the owner's baton up while it lives.
class BatonGivenUp {
 public:
  explicit BatonGivenUp(Baton& baton) : baton_(baton) { baton_.Give(); }
  ~BatonGivenUp() { baton_.Take(); }
  BatonGivenUp(const BatonGivenUp&) = delete;
  BatonGivenUp& operator=(const BatonGivenUp&) = delete;

 private:
  Baton& baton_;
};

}  // namespace berth::runtime
