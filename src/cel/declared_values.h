// SPDX-License-Identifier: Apache-2.0
// DeclaredList: a list of a variable, by what its schema says of the items.
//
// A list that is a set, or a map by some of its items' fields, is equal to another with the same items in another
// order, and adding to it merges.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cel/containers.h"

namespace berth::cel {

// Where the items of a list come from.
class ListSource {
 public:
  virtual ~ListSource() = default;
  virtual size_t size() const = 0;
  // REQUIRES: index < size().
  virtual Value Item(size_t index) const = 0;
};

class DeclaredList final : public List {
 public:
  enum class Rule : uint8_t { kAtomic, kSet, kMap };

  // The source and the keys, which are names as expressions write them, must outlive the list.
  DeclaredList(Arena& arena, const ListSource& source, Rule rule, std::span<const std::string> keys);

  size_t size() const override { return source_.size(); }
  Value at(size_t index) const override;
  Value EqualTo(Arena& arena, const List& other) const override;
  Value Plus(Arena& arena, const List& other) const override;

 private:
  Value EqualAtomic(Arena& arena, const List& other) const;
  Value EqualSet(Arena& arena, const List& other) const;
  Value EqualMap(Arena& arena, const List& other) const;

  const ListSource& source_;
  Rule rule_;
  std::span<const std::string> keys_;
  std::span<Value> items_;  // Made when they are asked for.
  std::span<bool> is_made_;
};

}  // namespace berth::cel
