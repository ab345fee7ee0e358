// SPDX-License-Identifier: Apache-2.0
// ChunkedMap: a sorted map whose copies share what they do not change.
//
// The entries stand in order in chunks, each of which is copied on write: a copy takes a pointer per chunk, and the
// first change of a chunk that is shared copies its entries. Iterators and pointers to entries are valid until the next
// change.
//
// Thread: as CopyOnWrite. Cost: two binary searches; a change moves the entries of a chunk.

#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "base/copy_on_write.h"

namespace berth::cluster {

template <class Key, class Value>
class ChunkedMap {
 public:
  using Entry = std::pair<Key, Value>;
  using Entries = std::vector<Entry>;

  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = const Entry*;
    using reference = const Entry&;

    const_iterator() = default;
    const_iterator(const ChunkedMap& map, size_t chunk, size_t entry) : map_(&map), chunk_(chunk), entry_(entry) {}
    reference operator*() const { return (*map_->chunks_[chunk_].entries)[entry_]; }
    pointer operator->() const { return &**this; }
    const_iterator& operator++() {
      if (++entry_ == map_->chunks_[chunk_].entries->size()) {
        ++chunk_;
        entry_ = 0;
      }
      return *this;
    }
    const_iterator operator++(int) {
      const const_iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const const_iterator&) const = default;

   private:
    const ChunkedMap* map_ = nullptr;
    size_t chunk_ = 0;
    size_t entry_ = 0;
  };
  using iterator = const_iterator;

  const_iterator begin() const { return {*this, 0, 0}; }
  const_iterator end() const { return {*this, chunks_.size(), 0}; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // The first entry whose key is not less.
  const_iterator lower_bound(const auto& key) const {
    if (empty()) return end();
    const auto [chunk, entry] = PlaceOf(key);
    return entry < chunks_[chunk].entries->size() ? const_iterator(*this, chunk, entry)
                                                  : const_iterator(*this, chunk + 1, 0);
  }
  const_iterator find(const auto& key) const {
    const const_iterator it = lower_bound(key);
    return it == end() || std::less<>()(key, it->first) ? end() : it;
  }
  bool contains(const auto& key) const { return find(key) != end(); }
  // nullptr if there is none.
  const Value* Find(const auto& key) const {
    const const_iterator it = find(key);
    return it == end() ? nullptr : &it->second;
  }
  // The same, to be changed.
  Value* Edit(const auto& key) {
    if (empty()) return nullptr;
    const auto [chunk, entry] = PlaceOf(key);
    return Holds(chunk, entry, key) ? &chunks_[chunk].entries.Edit()[entry].second : nullptr;
  }
  // Made anew if there is none.
  Value& operator[](Key key) {
    if (empty()) chunks_.emplace_back();
    auto [chunk, entry] = PlaceOf(key);
    if (Holds(chunk, entry, key)) return chunks_[chunk].entries.Edit()[entry].second;
    if (chunks_[chunk].entries->size() == kChunkMax) {
      Split(chunk);
      std::tie(chunk, entry) = PlaceOf(key);
    }
    Entries& entries = chunks_[chunk].entries.Edit();
    ++size_;
    return entries.emplace(entries.begin() + static_cast<std::ptrdiff_t>(entry), std::move(key), Value())->second;
  }
  // False if there was none.
  bool Erase(const auto& key) {
    if (empty()) return false;
    const auto [chunk, entry] = PlaceOf(key);
    if (!Holds(chunk, entry, key)) return false;
    Entries& entries = chunks_[chunk].entries.Edit();
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(entry));
    --size_;
    Join(chunk);
    return true;
  }

 private:
  static constexpr size_t kChunkMax = 64;

  struct Chunk {
    // No key is less, and those of the chunk before are. Of the first chunk it says nothing.
    Key least{};
    CopyOnWrite<Entries> entries;
  };

  // Where the key is or would be. REQUIRES: there is a chunk.
  std::pair<size_t, size_t> PlaceOf(const auto& key) const {
    const auto after =
        std::upper_bound(chunks_.begin() + 1, chunks_.end(), key,
                         [](const auto& wanted, const Chunk& c) { return std::less<>()(wanted, c.least); });
    const auto chunk = static_cast<size_t>(after - chunks_.begin() - 1);
    const Entries& entries = *chunks_[chunk].entries;
    const auto entry = std::lower_bound(entries.begin(), entries.end(), key, [](const Entry& e, const auto& wanted) {
      return std::less<>()(e.first, wanted);
    });
    return {chunk, static_cast<size_t>(entry - entries.begin())};
  }
  bool Holds(size_t chunk, size_t entry, const auto& key) const {
    const Entries& entries = *chunks_[chunk].entries;
    return entry < entries.size() && !std::less<>()(key, entries[entry].first);
  }
  void Split(size_t chunk) {
    Entries& entries = chunks_[chunk].entries.Edit();
    const auto middle = entries.begin() + kChunkMax / 2;
    Chunk upper{.least = middle->first,
                .entries = CopyOnWrite(Entries(std::move_iterator(middle), std::move_iterator(entries.end())))};
    entries.erase(middle, entries.end());
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(chunk) + 1, std::move(upper));
  }
  // Joins a chunk that has lost an entry with the one after it, or before it, if both are small, so that few entries
  // take few chunks.
  void Join(size_t chunk) {
    if (chunks_[chunk].entries->empty()) {
      chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(chunk));
      return;
    }
    if (chunks_.size() == 1) return;
    const size_t lower = std::min(chunk, chunks_.size() - 2);
    const size_t joined = chunks_[lower].entries->size() + chunks_[lower + 1].entries->size();
    if (joined > kChunkMax / 2) return;
    const CopyOnWrite<Entries> upper = std::move(chunks_[lower + 1].entries);
    chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(lower) + 1);
    Entries& entries = chunks_[lower].entries.Edit();
    entries.insert(entries.end(), upper->begin(), upper->end());
  }

  std::vector<Chunk> chunks_;
  size_t size_ = 0;
};

}  // namespace berth::cluster
