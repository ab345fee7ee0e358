// SPDX-License-Identifier: Apache-2.0
// Arena: the memory and the patience of one evaluation.
//
// Values are small and point into an arena; everything goes when the arena does. CEL's own costs do not bound memory
// and time in every case (a list that was added to itself forty times costs forty), so the arena counts the bytes it
// gave out and the steps of loops that costs do not cover, and cancels the evaluation beyond its limits.
//
// Thread: one evaluation's.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::cel {

// Thrown to end an evaluation at once; caught where the evaluation began.
struct Cancelled {
  std::string message;
};

// What an evaluation ends with that exceeds its cost, its memory or its steps.
[[noreturn]] void CancelForCost();

class Arena {
 public:
  static constexpr size_t kBytesMax = size_t{64} << 20;
  static constexpr uint64_t kStepsMax = 10'000'000;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // Counts memory that is held elsewhere.
  void Count(size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > kBytesMax) CancelForCost();
  }

  // Counts steps of a loop that no cost covers.
  void Spend(uint64_t steps) {
    steps_ += steps;
    if (steps_ > kStepsMax) CancelForCost();
  }

  void* Allocate(size_t bytes, size_t alignment) {
    const size_t begin = (used_ + alignment - 1) & ~(alignment - 1);
    if (begin + bytes > size_) return AllocateChunk(bytes);
    Count(bytes);
    used_ = begin + bytes;
    return memory_ + begin;
  }

  // An array of values that need no destructor, not initialised.
  template <class T>
  std::span<T> Array(size_t count) {
    if (count == 0) return {};
    if (count > kBytesMax / sizeof(T)) CancelForCost();
    return {static_cast<T*>(Allocate(count * sizeof(T), alignof(T))), count};
  }

  std::string_view Text(std::string_view text);
  // The same beyond all limits, for what is said when one was reached.
  std::string_view Keep(std::string text) {
    return *kept_.emplace_back(std::make_unique<std::string>(std::move(text)));
  }

  // An object that lives as long as the arena.
  template <class T, class... Args>
  T* Make(Args&&... args) {
    T* object = new (Allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
    if constexpr (!std::is_trivially_destructible_v<T>) {
      cleanups_.push_back({[](void* p) { static_cast<T*>(p)->~T(); }, object});
    }
    return object;
  }

 private:
  struct Cleanup {
    void (*destroy)(void*);
    void* object;
  };

  void* AllocateChunk(size_t bytes);

  alignas(std::max_align_t) std::byte first_[1024];
  std::byte* memory_ = first_;
  size_t size_ = sizeof(first_);
  size_t used_ = 0;
  size_t bytes_ = 0;
  uint64_t steps_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::vector<std::unique_ptr<std::string>> kept_;
  std::vector<Cleanup> cleanups_;
};

}  // namespace berth::cel
