// SPDX-License-Identifier: Apache-2.0
// CopyOnWriteRows: an array of large values, each of which copies of the array share until one of them changes it.
//
// Thread: as CopyOnWrite.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/copy_on_write.h"

namespace berth::cluster {

template <class T>
class CopyOnWriteRows {
 public:
  size_t size() const { return rows_.size(); }
  const T& operator[](size_t row) const { return *rows_[row]; }

  // The row to be changed.
  T& Edit(size_t row) { return rows_[row].Edit(); }
  void Clear(size_t row) { rows_[row] = empty_; }
  // New rows are empty.
  void Resize(size_t size) {
    rows_.resize(size, empty_);
    if (size < rows_.capacity() / 4) rows_.shrink_to_fit();
  }

  // A row as it is now, to be put back.
  CopyOnWrite<T> Save(size_t row) const { return rows_[row]; }
  void Restore(size_t row, CopyOnWrite<T> saved) { rows_[row] = std::move(saved); }

 private:
  CopyOnWrite<T> empty_;
  std::vector<CopyOnWrite<T>> rows_;
};

}  // namespace berth::cluster
