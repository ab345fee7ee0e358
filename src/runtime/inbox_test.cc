// SPDX-License-Identifier: Apache-2.0
#include "runtime/inbox.h"

#include <gtest/gtest.h>

#include <thread>

namespace berth::runtime {
namespace {

TEST(Inbox, GivesEverythingInOrder) {
  Inbox<int> inbox(10, [] {});
  inbox.Push(1);
  inbox.Push(std::vector{2, 3});
  std::vector<int> taken;

  inbox.Take(taken, Seconds(0));

  EXPECT_EQ(taken, (std::vector{1, 2, 3}));
  EXPECT_FALSE(inbox.HasItems());
}

TEST(Inbox, TakesNothingWhenNothingCame) {
  Inbox<int> inbox(10, [] {});
  std::vector<int> taken = {7};

  inbox.Take(taken, Milliseconds(1));

  EXPECT_TRUE(taken.empty());
}

TEST(Inbox, TellsAWriterThatFoundItFullWhenItWasEmptied) {
  int told = 0;
  Inbox<int> inbox(2, [&] { ++told; });
  std::vector<int> taken;
  inbox.Push(1);
  EXPECT_FALSE(inbox.IsFull());
  inbox.Take(taken, Seconds(0));
  EXPECT_EQ(told, 0);
  inbox.Push(std::vector{1, 2});
  EXPECT_TRUE(inbox.IsFull());

  inbox.Take(taken, Seconds(0));

  EXPECT_EQ(told, 1);
  EXPECT_FALSE(inbox.IsFull());
}

TEST(Inbox, OnlyWhatIsUrgentEndsARest) {
  Inbox<int> inbox(100, [] {});
  std::vector<int> taken;
  inbox.Push({1, 2});
  EXPECT_FALSE(inbox.Rest(Milliseconds(1)));

  std::jthread writer([&inbox] { inbox.Push({3}, true); });
  EXPECT_TRUE(inbox.Rest(Minutes(5)));

  inbox.Take(taken, std::nullopt);
  EXPECT_EQ(taken, (std::vector<int>{1, 2, 3}));
  EXPECT_FALSE(inbox.Rest(Milliseconds(1)));  // It was taken.
}

TEST(Inbox, LosesNothingBetweenThreads) {
  constexpr int kWriters = 4;
  constexpr int kEach = 5000;
  Inbox<int> inbox(100, [] {});
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&inbox, writer] {
      for (int i = 0; i < kEach; ++i) inbox.Push(writer * kEach + i);
    });
  }
  std::vector<int> last(kWriters, -1);
  std::vector<int> taken;

  for (int seen = 0; seen < kWriters * kEach; seen += static_cast<int>(taken.size())) {
    inbox.Take(taken, std::nullopt);
    for (const int item : taken) {
      EXPECT_LT(last[static_cast<size_t>(item / kEach)], item);
      last[static_cast<size_t>(item / kEach)] = item;
    }
  }

  EXPECT_EQ(last.back(), kWriters * kEach - 1);
}

}  // namespace
}  // namespace berth::runtime
