// SPDX-License-Identifier: Apache-2.0
// RecentValues: values that are made when they are first asked for and kept while they are asked for again.
//
// They live in two generations. What is asked for moves to the younger one; when that is full, or has been asked often
// enough, it becomes the older one and what nobody has asked for since goes. So there are never more than the limit,
// and what has fallen out of use does not stay. Often enough is some times for each that there may be. A copy begins
// without values, unless it takes copies of them.
//
// Thread: core. Cost: one or two lookups.

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "cluster/tables/string_map.h"

namespace berth::cluster {

template <class T>
class RecentValues {
 public:
  explicit RecentValues(size_t limit) : generation_max_(limit / 2), asked_max_(std::max(kAskedMin, 2 * limit)) {}
  RecentValues(const RecentValues& other) : generation_max_(other.generation_max_), asked_max_(other.asked_max_) {}
  RecentValues& operator=(const RecentValues&) = delete;

  // Takes copies of the values of another. REQUIRES: this has none.
  void CopyValues(const RecentValues& other) {
    const auto copy = [](const StringMap<std::shared_ptr<T>>& from, StringMap<std::shared_ptr<T>>& to) {
      for (const auto& [key, value] : from) to.emplace(key, std::make_shared<T>(*value));
    };
    copy(other.younger_, younger_);
    copy(other.older_, older_);
  }

  // The value under `key`, or else what `make()` returns: a shared pointer, which is kept. Calls `forget(T&)` for each
  // that goes.
  template <class Make, class Forget>
  const std::shared_ptr<T>& Get(std::string_view key, Make make, Forget forget) {
    if (++asked_ > asked_max_) Age(forget);
    if (const auto it = younger_.find(key); it != younger_.end()) return it->second;
    std::shared_ptr<T> value;
    if (const auto it = older_.find(key); it != older_.end()) {
      value = std::move(it->second);
      older_.erase(it);
    } else {
      value = make();
    }
    if (younger_.size() >= generation_max_) Age(forget);
    return younger_.emplace(key, std::move(value)).first->second;
  }
  template <class Make>
  const std::shared_ptr<T>& Get(std::string_view key, Make make) {
    return Get(key, std::move(make), [](T&) {});
  }

  // Lets those go that nobody has asked for lately.
  template <class Forget>
  void Age(Forget forget) {
    const StringMap<std::shared_ptr<T>> gone = std::exchange(older_, std::exchange(younger_, {}));
    asked_ = 0;
    for (const auto& [key, value] : gone) forget(*value);
  }

  // Calls `visit(T&)` for each, in no particular order.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [key, value] : younger_) visit(*value);
    for (const auto& [key, value] : older_) visit(*value);
  }
  size_t size() const { return younger_.size() + older_.size(); }

 private:
  static constexpr size_t kAskedMin = 4096;  // Questions per generation.

  size_t generation_max_;
  size_t asked_max_;
  size_t asked_ = 0;
  StringMap<std::shared_ptr<T>> younger_;
  StringMap<std::shared_ptr<T>> older_;
};

}  // namespace berth::cluster
