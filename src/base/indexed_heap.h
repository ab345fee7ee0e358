// SPDX-License-Identifier: Apache-2.0
// IndexedHeap: a binary heap of pointers whose elements know their place.
//
// The first element by `Less` is on top. An element may be removed from the middle, or put right after it changed; for
// that it holds its place in the member `kPlace`, which belongs to the heap while the element is in it. The heap owns
// nothing. Equal elements leave in an order that depends only on the calls.
//
// Cost: O(log n) for Push, Pop, Remove and Fix.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace berth {

template <class T, size_t T::* kPlace, class Less>
class IndexedHeap {
 public:
  explicit IndexedHeap(Less less) : less_(std::move(less)) {}

  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }
  // The elements, in no particular order.
  const std::vector<T*>& items() const { return items_; }
  // REQUIRES: not empty, here and in Pop.
  T* top() const { return items_.front(); }

  void Push(T* item) {
    items_.push_back(item);
    Up(items_.size() - 1);
  }
  T* Pop() {
    T* item = top();
    Remove(item);
    return item;
  }
  // REQUIRES: `item` is in the heap, here and in Fix.
  void Remove(T* item) {
    const size_t place = item->*kPlace;
    BERTH_ASSERT(place < items_.size() && items_[place] == item);
    T* last = items_.back();
    items_.pop_back();
    if (last == item) return;
    items_[place] = last;
    last->*kPlace = place;
    Fix(last);
  }
  void Fix(T* item) {
    if (!Up(item->*kPlace)) Down(item->*kPlace);
  }

 private:
  // Both lift the item out and move others into the gap until it fits. Up says whether it moved.
  bool Up(size_t place) {
    T* item = items_[place];
    const size_t start = place;
    while (place > 0 && less_(*item, *items_[(place - 1) / 2])) {
      Set(place, items_[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    Set(place, item);
    return place != start;
  }
  void Down(size_t place) {
    T* item = items_[place];
    for (size_t child = 2 * place + 1; child < items_.size(); child = 2 * place + 1) {
      if (child + 1 < items_.size() && less_(*items_[child + 1], *items_[child])) ++child;
      if (!less_(*items_[child], *item)) break;
      Set(place, items_[child]);
      place = child;
    }
    Set(place, item);
  }
  void Set(size_t place, T* item) {
    items_[place] = item;
    item->*kPlace = place;
  }

  Less less_;
  std::vector<T*> items_;
};

}  // namespace berth
