// SPDX-License-Identifier: Apache-2.0
// CopyOnWrite: a value that copies share until one of them changes it.
//
// Reading costs a pointer. Whoever changes a value that others share makes it its own first; a value that nobody shares
// is changed in place. References to the value are valid until the next Edit().
//
// Thread: one at a time, those that hold copies included.

#pragma once

#include <memory>
#include <utility>

namespace berth::cluster {

template <class T>
class CopyOnWrite {
 public:
  CopyOnWrite() : value_(std::make_shared<T>()) {}
  explicit CopyOnWrite(T value) : value_(std::make_shared<T>(std::move(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

  bool is_shared() const { return value_.use_count() != 1; }
  // The value to be changed.
  T& Edit() {
    if (is_shared()) value_ = std::make_shared<T>(std::as_const(*value_));
    return *value_;
  }

 private:
  std::shared_ptr<T> value_;
};

}  // namespace berth::cluster
