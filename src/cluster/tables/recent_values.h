// SPDX-License-Identifier: Apache-2.0
// RecentValues: values that are made when they are first asked for and kept while they are asked for again.
//
// They live in two generations. What is asked for moves to the younger one; when that is full, or has been asked often
// enough, it becomes the older one and what nobody has asked for since goes. So there are never more than the limit,
// and what has fallen out of use does not stay. A copy begins without values.
//
// Thread: core. Cost: one or two lookups.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "cluster/tables/string_map.h"

namespace berth::cluster {

template <class T>
class RecentValues {
 public:
  explicit RecentValues(size_t limit) : generation_max_(limit / 2) {}
  RecentValues(const RecentValues& other) : generation_max_(other.generation_max_) {}
  RecentValues& operator=(const RecentValues&) = delete;

  // The value under `key`, or else what `make()` returns: a shared pointer, which is kept.
  template <class Make>
  const std::shared_ptr<T>& Get(std::string_view key, Make make) {
    if (++asked_ > kAskedMax) Age();
    if (const auto it = younger_.find(key); it != younger_.end()) return it->second;
    std::shared_ptr<T> value;
    if (const auto it = older_.find(key); it != older_.end()) {
      value = std::move(it->second);
      older_.erase(it);
    } else {
      value = make();
    }
    if (younger_.size() >= generation_max_) Age();
    return younger_.emplace(key, std::move(value)).first->second;
  }

  // Calls `visit(T&)` for each, in no particular order.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [key, value] : younger_) visit(*value);
    for (const auto& [key, value] : older_) visit(*value);
  }
  size_t size() const { return younger_.size() + older_.size(); }

 private:
  static constexpr uint32_t kAskedMax = 4096;  // Questions per generation.

  void Age() {
    older_ = std::exchange(younger_, {});
    asked_ = 0;
  }

  size_t generation_max_;
  uint32_t asked_ = 0;
  StringMap<std::shared_ptr<T>> younger_;
  StringMap<std::shared_ptr<T>> older_;
};

}  // namespace berth::cluster
