// SPDX-License-Identifier: Apache-2.0
// ShardedMap: a hash table whose copies share what they do not change.
//
// Entries are spread over a fixed number of small tables, each of which is copied on write: a copy takes a pointer per
// shard, and the first change of a shard that is shared copies its entries. Pointers to entries are valid until the
// next change.
//
// Thread: as CopyOnWrite. Cost: one more hash than a plain table.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/copy_on_write.h"
#include "base/hash.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

// `Map` is the table of one shard, such as StringMap<V>.
template <class Map>
class ShardedMap {
 public:
  using Key = typename Map::key_type;
  using Value = typename Map::mapped_type;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool contains(const auto& key) const { return Find(key) != nullptr; }

  // nullptr if there is none.
  const Value* Find(const auto& key) const {
    const Map& shard = *shards_[ShardOf(key)];
    const auto it = shard.find(key);
    return it == shard.end() ? nullptr : &it->second;
  }
  // The same, to be changed.
  Value* Edit(const auto& key) {
    CopyOnWrite<Map>& shard = shards_[ShardOf(key)];
    if (shard.is_shared() && !shard->contains(key)) return nullptr;
    Map& own = shard.Edit();
    const auto it = own.find(key);
    return it == own.end() ? nullptr : &it->second;
  }
  // Made anew if there is none.
  Value& operator[](Key key) {
    Map& shard = shards_[ShardOf(key)].Edit();
    const auto [it, is_new] = shard.try_emplace(std::move(key));
    if (is_new) ++size_;
    return it->second;
  }
  // False if there was none.
  bool Erase(const auto& key) {
    CopyOnWrite<Map>& shard = shards_[ShardOf(key)];
    if (shard.is_shared() && !shard->contains(key)) return false;
    Map& own = shard.Edit();
    const auto it = own.find(key);
    if (it == own.end()) return false;
    own.erase(it);
    --size_;
    return true;
  }

  // Calls `visit(key, value)` for each, in no particular order.
  void ForEach(auto visit) const {
    for (const CopyOnWrite<Map>& shard : shards_) {
      for (const auto& [key, value] : *shard) visit(key, value);
    }
  }

  // Empties it, and calls `pause` after each shard.
  void Clear(const auto& pause) {
    for (CopyOnWrite<Map>& shard : shards_) {
      shard = CopyOnWrite<Map>();
      pause();
    }
    size_ = 0;
  }

 private:
  static constexpr size_t kShards = 2048;

  // The bits that choose the shard are mixed again, because the shard's table is laid out by those of the hash itself.
  static size_t ShardOf(const auto& key) { return MixHash(typename Map::hasher()(key)) % kShards; }

  std::vector<CopyOnWrite<Map>> shards_ = std::vector<CopyOnWrite<Map>>(kShards);
  size_t size_ = 0;
};

}  // namespace berth::cluster
