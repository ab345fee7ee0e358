// SPDX-License-Identifier: Apache-2.0
// A quicksort that defeats patterns, with the constants and choices of Go's, because they decide where equal keys go.
#include "cel/sorting.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

namespace berth::cel {
namespace {

class Sorter {
 public:
  Sorter(std::vector<size_t>& order, const std::function<bool(size_t, size_t)>& less) : order_(order), less_(less) {}

  void Run() { Sort(0, Size(order_.size()), static_cast<int>(std::bit_width(order_.size()))); }

 private:
  using Index = std::ptrdiff_t;
  enum class Hint { kUnknown, kIncreasing, kDecreasing };

  static Index Size(size_t size) { return static_cast<Index>(size); }
  size_t& at(Index i) { return order_[static_cast<size_t>(i)]; }
  bool Less(Index i, Index j) { return less_(at(i), at(j)); }
  void Swap(Index i, Index j) { std::swap(at(i), at(j)); }

  void Sort(Index begin, Index end, int bad_choices_left) {
    bool was_balanced = true;
    bool was_partitioned = true;
    for (;;) {
      const Index length = end - begin;
      if (length <= 12) return InsertionSort(begin, end);
      if (bad_choices_left == 0) return HeapSort(begin, end);
      if (!was_balanced) {
        BreakPatterns(begin, end);
        --bad_choices_left;
      }
      auto [pivot, hint] = ChoosePivot(begin, end);
      if (hint == Hint::kDecreasing) {
        std::reverse(order_.begin() + begin, order_.begin() + end);
        pivot = end - 1 - (pivot - begin);
        hint = Hint::kIncreasing;
      }
      if (was_balanced && was_partitioned && hint == Hint::kIncreasing && FinishIfNearlySorted(begin, end)) return;
      // Nothing is less than the pivot: those equal to it are in place.
      if (begin > 0 && !Less(begin - 1, pivot)) {
        begin = PartitionEqual(begin, end, pivot);
        continue;
      }
      const auto [middle, is_partitioned] = Partition(begin, end, pivot);
      was_partitioned = is_partitioned;
      const Index left = middle - begin;
      const Index right = end - middle;
      was_balanced = std::min(left, right) >= length / 8;
      if (left < right) {
        Sort(begin, middle, bad_choices_left);
        begin = middle + 1;
      } else {
        Sort(middle + 1, end, bad_choices_left);
        end = middle;
      }
    }
  }

  void InsertionSort(Index begin, Index end) {
    for (Index i = begin + 1; i < end; ++i) SinkLeft(i, begin);
  }
  void SinkLeft(Index i, Index begin) {
    for (; i > begin && Less(i, i - 1); --i) Swap(i, i - 1);
  }

  void SiftDown(Index root, Index size, Index first) {
    for (;;) {
      Index child = 2 * root + 1;
      if (child >= size) return;
      if (child + 1 < size && Less(first + child, first + child + 1)) ++child;
      if (!Less(first + root, first + child)) return;
      Swap(first + root, first + child);
      root = child;
    }
  }
  void HeapSort(Index begin, Index end) {
    const Index size = end - begin;
    for (Index i = (size - 1) / 2; i >= 0; --i) SiftDown(i, size, begin);
    for (Index i = size - 1; i >= 0; --i) {
      Swap(begin, begin + i);
      SiftDown(0, i, begin);
    }
  }

  // Moves from both ends inwards what is on the wrong side; the pivot is at `begin`.
  template <class StaysLeft, class StaysRight>
  std::pair<Index, bool> Exchange(Index left, Index right, StaysLeft stays_left, StaysRight stays_right) {
    for (bool was_clean = true;; was_clean = false) {
      while (left <= right && stays_left(left)) ++left;
      while (left <= right && stays_right(right)) --right;
      if (left > right) return {right, was_clean};
      Swap(left++, right--);
    }
  }
  // Where the pivot ends up, and whether nothing had to move.
  std::pair<Index, bool> Partition(Index begin, Index end, Index pivot) {
    Swap(begin, pivot);
    const auto [middle, was_clean] = Exchange(
        begin + 1, end - 1, [this, begin](Index i) { return Less(i, begin); },
        [this, begin](Index i) { return !Less(i, begin); });
    Swap(middle, begin);
    return {middle, was_clean};
  }
  // Where those that are greater than the pivot begin.
  Index PartitionEqual(Index begin, Index end, Index pivot) {
    Swap(begin, pivot);
    return 1 + Exchange(
                   begin + 1, end - 1, [this, begin](Index i) { return !Less(begin, i); },
                   [this, begin](Index i) { return Less(begin, i); })
                   .first;
  }

  // Puts a few neighbours right; true if all is sorted then.
  bool FinishIfNearlySorted(Index begin, Index end) {
    Index i = begin + 1;
    for (int step = 0; step < 5; ++step) {
      while (i < end && !Less(i, i - 1)) ++i;
      if (i == end) return true;
      if (end - begin < 50) return false;
      Swap(i, i - 1);
      if (i - begin >= 2) SinkLeft(i - 1, 0);
      if (end - i >= 2) {
        for (Index j = i + 1; j < end && Less(j, j - 1); ++j) Swap(j, j - 1);
      }
    }
    return false;
  }

  void BreakPatterns(Index begin, Index end) {
    const Index length = end - begin;
    if (length < 8) return;
    auto random = static_cast<uint64_t>(length);
    const uint64_t mask = (uint64_t{1} << std::bit_width(random)) - 1;
    const Index middle = begin + length / 4 * 2;
    for (Index i = middle - 1; i <= middle + 1; ++i) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      auto other = static_cast<Index>(random & mask);
      if (other >= length) other -= length;
      Swap(i, begin + other);
    }
  }

  std::pair<Index, Hint> ChoosePivot(Index begin, Index end) {
    const Index length = end - begin;
    int swaps = 0;
    Index i = begin + length / 4;
    Index j = begin + length / 4 * 2;
    Index k = begin + length / 4 * 3;
    if (length >= 8) {
      if (length >= 50) {
        i = Median(i - 1, i, i + 1, swaps);
        j = Median(j - 1, j, j + 1, swaps);
        k = Median(k - 1, k, k + 1, swaps);
      }
      j = Median(i, j, k, swaps);
    }
    constexpr int kSwapsMax = 12;
    return {j, swaps == 0 ? Hint::kIncreasing : swaps == kSwapsMax ? Hint::kDecreasing : Hint::kUnknown};
  }
  Index Median(Index a, Index b, Index c, int& swaps) {
    const auto order = [this, &swaps](Index& low, Index& high) {
      if (!Less(high, low)) return;
      std::swap(low, high);
      ++swaps;
    };
    order(a, b);
    order(b, c);
    order(a, b);
    return b;
  }

  std::vector<size_t>& order_;
  const std::function<bool(size_t, size_t)>& less_;
};

}  // namespace

std::vector<size_t> SortedOrder(size_t count, const std::function<bool(size_t, size_t)>& less) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  Sorter(order, less).Run();
  return order;
}

}  // namespace berth::cel
