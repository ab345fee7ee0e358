// SPDX-License-Identifier: Apache-2.0
// List and Map: what values of these kinds point to.
//
// Lists are of four makes. An array is fixed; a joined list is two others, so that adding costs nothing; a growing
// list is what a comprehension collects into, and the only one that changes; a declared one is that of a variable
// (declared_values.h), with a notion of its own of what is equal. Maps keep the order in which keys came, and grow an
// index when they are large. Those of a variable are filled when they are first looked into.

#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "cel/arena.h"
#include "cel/value.h"

namespace berth::cel {

class List {
 public:
  enum class Make : uint8_t { kArray, kJoined, kGrowing, kDeclared };

  explicit List(Make make, uint32_t depth = 1) : make_(make), depth_(depth) {}
  virtual ~List() = default;

  Make make() const { return make_; }
  // How many lists one is joined of, one inside the other: what it takes to get at an element.
  uint32_t depth() const { return depth_; }
  virtual size_t size() const = 0;
  // REQUIRES: index < size().
  virtual Value at(size_t index) const = 0;

  // Of a declared list: whether it is equal to another, and what both are together.
  virtual Value EqualTo(Arena& arena, const List& other) const;
  virtual Value Plus(Arena& arena, const List& other) const;

 private:
  Make make_;
  uint32_t depth_;
};

class ArrayList final : public List {
 public:
  explicit ArrayList(std::span<const Value> values) : List(Make::kArray), values_(values) {}
  size_t size() const override { return values_.size(); }
  Value at(size_t index) const override { return values_[index]; }

 private:
  std::span<const Value> values_;
};

class JoinedList final : public List {
 public:
  JoinedList(const List& first, const List& second)
      : List(Make::kJoined, 1 + std::max(first.depth(), second.depth())),
        first_(first),
        second_(second),
        size_(first.size() + second.size()) {}
  size_t size() const override { return size_; }
  Value at(size_t index) const override;

 private:
  const List& first_;
  const List& second_;
  size_t size_;
};

class GrowingList final : public List {
 public:
  GrowingList() : List(Make::kGrowing) {}
  size_t size() const override { return values_.size(); }
  Value at(size_t index) const override { return values_[index]; }

  // A comprehension's accumulator is reached through values, which are const; this one is meant to change.
  void Append(Arena& arena, const List& other) const;

 private:
  mutable std::vector<Value> values_;
};

// Counts the steps of going through a list once.
void SpendOn(Arena& arena, const List& list);

Value MakeList(Arena& arena, std::span<const Value> values);

// Exactly the same key: of the same kind, and equal; lists and other objects only if they are the same object.
struct SameKey {
  bool operator()(const Value& left, const Value& right) const;
};
struct KeyHash {
  size_t operator()(const Value& key) const;
};

class Map;

// Where a map comes from that is filled when it is first looked into.
class MapSource {
 public:
  virtual ~MapSource() = default;

  // Sets the entries.
  virtual void Fill(Map& map) const = 0;
  // Sees to it that this one is there, if it exists, without filling the map. False if it must be filled.
  virtual bool FillOne(Map& /*map*/, const Value& /*key*/) const { return false; }
  // Its size, which may be more than what is found in it.
  virtual size_t size() const = 0;
  // Whether the map, which is of this source, is equal to another.
  virtual Value Equal(Arena& arena, const Map& map, const Map& other) const = 0;
};

class Map {
 public:
  struct Entry {
    Value key;
    Value value;
  };

  // `fallback`, if given, is found where no entry is.
  explicit Map(const Map* fallback = nullptr) : fallback_(fallback) {}
  // The source must outlive the map.
  explicit Map(const MapSource& source) : fallback_(nullptr), source_(&source), is_filled_(false) {}

  std::span<const Entry> entries() const {
    FillOnce();
    return entries_;
  }
  size_t size() const { return source_ == nullptr ? entries_.size() : source_->size(); }
  // nullptr unless it has one.
  const MapSource* source() const { return source_; }

  // The value of the key, or of the same number in another numeric type; nullptr if there is none.
  const Value* Find(const Value& key) const;
  // The same, or the fallback.
  bool FindOrFallback(const Value& key, Value& value) const;

  // Adds the entry or replaces its value.
  void Set(const Value& key, const Value& value) { Insert(key, value, true); }
  void Remove(const Value& key);
  // For an accumulator, as GrowingList::Append. REQUIRES: the key is not in the map.
  void Add(Arena& arena, const Value& key, const Value& value) const;

 private:
  static constexpr size_t kLinear = 16;

  void FillOnce() const {
    if (is_filled_) return;
    is_filled_ = true;
    source_->Fill(const_cast<Map&>(*this));
  }
  size_t IndexOf(const Value& key) const;
  void MakeIndex() const;
  void Insert(const Value& key, const Value& value, bool may_replace) const;

  mutable std::vector<Entry> entries_;
  using Index = boost::unordered_flat_map<Value, size_t, KeyHash, SameKey>;
  mutable std::unique_ptr<Index> index_;  // None up to kLinear entries.
  const Map* fallback_;
  const MapSource* source_ = nullptr;
  mutable bool is_filled_ = true;
};

}  // namespace berth::cel
