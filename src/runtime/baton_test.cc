// SPDX-License-Identifier: Apache-2.0
#include "runtime/baton.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace berth::runtime {
namespace {

using namespace std::chrono_literals;

TEST(Baton, IsHeldByOneAtATime) {
  Baton baton;
  int touched = 0;  // Not atomic: the baton protects it.
  std::atomic<bool> stop = false;
  std::vector<std::jthread> guests;
  std::atomic<int> by_guests = 0;
  for (int i = 0; i < 4; ++i) {
    guests.emplace_back([&] {
      while (!stop) {
        baton.TakeAsGuest();
        ++touched;
        ++by_guests;
        baton.GiveAsGuest();
      }
    });
  }
  int by_owner = 0;
  baton.Take();
  while (by_guests < 200) {
    ++touched;
    ++by_owner;
    baton.Yield();
    if (by_owner % 1'000 == 0) const BatonGivenUp given_up(baton);
  }
  stop = true;
  baton.Give();
  guests.clear();

  EXPECT_EQ(touched, by_owner + by_guests);
}

// Guests that take one turn after the other until they are stopped.
class Guests {
 public:
  explicit Guests(int count, Baton& baton) : baton_(baton) {
    for (int guest = 0; guest < count; ++guest) {
      threads_.emplace_back([this, guest] {
        while (!stop_) {
          baton_.TakeAsGuest();
          turns_.push_back(guest);
          baton_.GiveAsGuest();
        }
      });
    }
  }
  ~Guests() {
    stop_ = true;
    const BatonGivenUp given_up(baton_);
    threads_.clear();
  }
  Guests(const Guests&) = delete;
  Guests& operator=(const Guests&) = delete;

  // To be looked at with the baton.
  const std::vector<int>& turns() const { return turns_; }
  void AwaitAll() const {
    while (baton_.waiting() < threads_.size()) std::this_thread::sleep_for(1ms);
  }

 private:
  Baton& baton_;
  std::atomic<bool> stop_ = false;
  std::vector<int> turns_;
  std::vector<std::jthread> threads_;
};

TEST(Baton, OwnerWaitsForOneTurnAtMostAndGuestsAlternate) {
  Baton baton;
  baton.Take();
  {
    const Guests guests(3, baton);
    for (size_t i = 1; i <= 30; ++i) {
      guests.AwaitAll();
      std::this_thread::sleep_for(Baton::kOwnersTurn);  // The owner's work.
      baton.Yield();
      ASSERT_EQ(guests.turns().size(), i);
    }
    for (size_t i = 3; i < 30; ++i) EXPECT_EQ(guests.turns()[i], guests.turns()[i - 3]) << i;
  }
  baton.Give();
}

TEST(Baton, OwnerKeepsItForItsTurn) {
  Baton baton;
  baton.Take();
  {
    const Guests guests(2, baton);
    guests.AwaitAll();
    std::this_thread::sleep_for(Baton::kOwnersTurn);
    baton.Yield();
    ASSERT_EQ(guests.turns().size(), 1U);
    const auto begin = Baton::Clock::now();
    while (guests.turns().size() < 2) baton.Yield();

    EXPECT_GE(Baton::Clock::now() - begin + 1ms, Baton::kOwnersTurn);
  }
  baton.Give();
}

TEST(Baton, IsAwaitedWhileTheOwnerOrAnotherGuestWaits) {
  const auto await = [](const Baton& baton) {
    while (!baton.IsAwaited()) std::this_thread::sleep_for(1ms);
  };
  Baton baton;
  baton.TakeAsGuest();
  EXPECT_FALSE(baton.IsAwaited());

  std::jthread owner([&] { baton.Take(); });
  await(baton);
  baton.GiveAsGuest();
  owner.join();
  EXPECT_FALSE(baton.IsAwaited());
  baton.Give();

  baton.TakeAsGuest();
  std::jthread guest([&] { baton.TakeAsGuest(); });
  await(baton);
  baton.GiveAsGuest();
  guest.join();
  EXPECT_FALSE(baton.IsAwaited());
  baton.GiveAsGuest();
}

}  // namespace
}  // namespace berth::runtime
