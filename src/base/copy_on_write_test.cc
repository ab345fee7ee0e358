// SPDX-License-Identifier: Apache-2.0
#include "base/copy_on_write.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

namespace berth {
namespace {

using Numbers = CopyOnWrite<std::vector<int>>;

TEST(CopyOnWrite, CopiesShareTheValueUntilOneChanges) {
  Numbers first(std::vector{1, 2});
  Numbers second = first;
  EXPECT_EQ(&*first, &*second);
  EXPECT_EQ(first, second);

  second.Edit().push_back(3);

  EXPECT_EQ(*first, (std::vector{1, 2}));
  EXPECT_EQ(*second, (std::vector{1, 2, 3}));
  EXPECT_FALSE(first == second);
}

TEST(CopyOnWrite, WhoIsAloneChangesTheValueInPlace) {
  Numbers first(std::vector{1, 2});
  const std::vector<int>* const place = &*first;
  {
    const Numbers second = first;
  }

  first.Edit()[0] = 7;

  EXPECT_EQ(&*first, place);
  EXPECT_EQ(first, Numbers(std::vector{7, 2}));
}

TEST(CopyOnWrite, IsEmptyWithoutAValueAndAfterAMove) {
  Numbers none;
  EXPECT_TRUE(none->empty());
  none.Edit().push_back(1);

  const Numbers moved = std::move(none);

  EXPECT_EQ(moved->size(), 1U);
  EXPECT_TRUE(none->empty());  // NOLINT(bugprone-use-after-move)
}

TEST(CopyOnWrite, CopiesLiveOnDifferentThreads) {
  Numbers shared(std::vector{0});
  std::vector<std::jthread> threads;
  for (int i = 1; i <= 4; ++i) {
    threads.emplace_back([copy = shared, i]() mutable {
      for (int turn = 0; turn < 1000; ++turn) {
        Numbers own = copy;
        own.Edit()[0] = i;
        EXPECT_EQ(copy->front(), 0);
        EXPECT_EQ(own->front(), i);
      }
    });
  }
  shared.Edit()[0] = 9;
  threads.clear();

  EXPECT_EQ(shared->front(), 9);
}

}  // namespace
}  // namespace berth
