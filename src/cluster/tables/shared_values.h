// SPDX-License-Identifier: Apache-2.0
// SharedValues: equal values kept once, found by a key, for as long as somebody uses them.
//
// An entry goes together with its value, when the last user lets it go. Users may outlive the table.
//
// Thread: core, users included.

#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

namespace berth::cluster {

template <class T, class Map = boost::unordered_flat_map<uint64_t, std::weak_ptr<const T>>>
class SharedValues {
 public:
  // The value, or nullptr if nobody uses one of this key.
  template <class Key>
  std::shared_ptr<const T> Find(const Key& key) const {
    const auto it = values_->find(key);
    return it == values_->end() ? nullptr : it->second.lock();
  }

  // REQUIRES: nobody uses a value of this key.
  std::shared_ptr<const T> Put(typename Map::key_type key, std::unique_ptr<T> value) {
    const auto forget = [key, values = std::weak_ptr<Map>(values_)](const T* dead) {
      if (const std::shared_ptr<Map> table = values.lock()) table->erase(key);
      delete dead;
    };
    const std::shared_ptr<const T> shared(value.release(), forget);
    values_->insert_or_assign(std::move(key), shared);
    return shared;
  }

  // Values in use.
  size_t size() const { return values_->size(); }

 private:
  std::shared_ptr<Map> values_ = std::make_shared<Map>();
};

}  // namespace berth::cluster
