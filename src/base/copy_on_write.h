// SPDX-License-Identifier: Apache-2.0
// CopyOnWrite: a value whose copies share it until one of them is changed.
//
// A copy costs as much as a pointer. Whoever wants to change the value gets one of its own, which is made only if
// others hold it too. What Edit returned must not be written through once this has been copied: the copy would
// change too.
//
// Thread: copies may live on different threads, each of them on one at a time.

#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace berth {

template <class T>
class CopyOnWrite {
 public:
  CopyOnWrite() = default;  // Of a T() that costs nothing.
  explicit CopyOnWrite(T value) : shared_(new Shared{std::move(value)}) {}
  CopyOnWrite(const CopyOnWrite& other) : shared_(other.shared_) {
    if (shared_ != nullptr) shared_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  CopyOnWrite(CopyOnWrite&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  CopyOnWrite& operator=(CopyOnWrite other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~CopyOnWrite() {
    // Nobody else can copy or release what only this one holds.
    if (shared_ != nullptr && (is_alone() || shared_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)) {
      delete shared_;
    }
  }

  const T& operator*() const {
    static const T kEmpty{};
    return shared_ == nullptr ? kEmpty : shared_->value;
  }
  const T* operator->() const { return &**this; }

  // Whether others hold it too. One that holds nothing yet is not shared.
  bool is_shared() const { return shared_ != nullptr && !is_alone(); }
  // The value to be changed. Cost: that of a copy of it, if others hold it.
  T& Edit() {
    if (shared_ == nullptr || !is_alone()) *this = CopyOnWrite(**this);
    return shared_->value;
  }

  // Cost: none for copies of each other.
  bool operator==(const CopyOnWrite& other) const { return shared_ == other.shared_ || **this == *other; }

 private:
  struct Shared {
    T value;
    std::atomic<uint32_t> holders = 1;
  };

  bool is_alone() const { return shared_->holders.load(std::memory_order_acquire) == 1; }

  Shared* shared_ = nullptr;
};

}  // namespace berth
