// SPDX-License-Identifier: Apache-2.0
#include "base/indexed_heap.h"

#include <algorithm>
#include <deque>
#include <random>

#include <gtest/gtest.h>

namespace berth {
namespace {

struct Item {
  int value = 0;
  size_t place = 0;
};
struct ByValue {
  bool operator()(const Item& a, const Item& b) const { return a.value < b.value; }
};
using Heap = IndexedHeap<Item, &Item::place, ByValue>;

TEST(IndexedHeap, YieldsElementsInOrder) {
  std::deque<Item> items = {{5, 0}, {1, 0}, {4, 0}, {2, 0}, {3, 0}};
  Heap heap{ByValue()};
  for (Item& item : items) heap.Push(&item);

  std::vector<int> values;
  while (!heap.empty()) values.push_back(heap.Pop()->value);

  EXPECT_EQ(values, (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(IndexedHeap, StaysOrderedUnderRandomPushesRemovalsAndChanges) {
  std::mt19937 random(7);
  std::deque<Item> items;
  std::vector<Item*> inside;
  Heap heap{ByValue()};
  for (int i = 0; i < 20000; ++i) {
    const unsigned choice = static_cast<unsigned>(random() % 4);
    if (choice == 0 || inside.empty()) {
      inside.push_back(&items.emplace_back(Item{static_cast<int>(random() % 1000), 0}));
      heap.Push(inside.back());
      continue;
    }
    const size_t index = random() % inside.size();
    Item* item = choice == 1 ? heap.top() : inside[index];
    if (choice == 3) {
      item->value = static_cast<int>(random() % 1000);
      heap.Fix(item);
    } else {
      heap.Remove(item);
      inside.erase(std::ranges::find(inside, item));
    }
    ASSERT_EQ(heap.size(), inside.size());
    if (!inside.empty()) {
      ASSERT_EQ(heap.top()->value, (*std::ranges::min_element(inside, {}, &Item::value))->value);
    }
  }
}

}  // namespace
}  // namespace berth
