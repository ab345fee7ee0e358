// SPDX-License-Identifier: Apache-2.0
#include "cel/declared_values.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <optional>
#include <unordered_map>

#include "cel/operations.h"

namespace berth::cel {
namespace {

// The keys of an item as one text.
std::string KeyOf(const Value& item, std::span<const std::string> keys) {
  std::string text;
  for (const std::string& key : keys) {
    const Value* const value = item.Is(Kind::kMap) ? item.map().Find(Value::String(key)) : nullptr;
    if (value == nullptr || value->is_error()) {
      text += "-;";
      continue;
    }
    Arena arena;
    const std::string part = GoText(arena, *value);
    text += std::to_string(static_cast<int>(value->kind())) + ":" + std::to_string(part.size()) + ":" + part + ";";
  }
  return text;
}

using Scalars = boost::unordered_flat_set<Value, KeyHash, SameKey>;

// The items of a sum.
class Items final : public ListSource {
 public:
  Items(Arena& arena, const std::vector<Value>& items) : items_(MakeList(arena, items).list()) {}
  size_t size() const override { return items_.size(); }
  Value Item(size_t index) const override { return items_.at(index); }

 private:
  const List& items_;
};

// The items that are not yet in the set join it; an error if one is no scalar.
std::optional<Value> Insert(const List& list, Scalars& set, std::vector<Value>* in_order) {
  for (size_t i = 0; i < list.size(); ++i) {
    const Value item = list.at(i);
    if (item.is_error()) return item;
    if (item.Is(Kind::kList) || item.Is(Kind::kMap)) {
      return Value::Error("listSet operations are only supported on lists of scalar values");
    }
    // Bytes are compared by what they are, not by where.
    const Value key = item.Is(Kind::kBytes) ? Value::String(item.bytes()) : item;
    if (set.insert(key).second && in_order != nullptr) in_order->push_back(item);
  }
  return std::nullopt;
}

}  // namespace

DeclaredList::DeclaredList(Arena& arena, const ListSource& source, Rule rule, std::span<const std::string> keys)
    : List(Make::kDeclared), source_(source), rule_(rule), keys_(keys) {
  items_ = arena.Array<Value>(source.size());
  is_made_ = arena.Array<bool>(source.size());
  std::ranges::fill(is_made_, false);
}

Value DeclaredList::at(size_t index) const {
  if (!is_made_[index]) {
    items_[index] = source_.Item(index);
    is_made_[index] = true;
  }
  return items_[index];
}

Value DeclaredList::EqualTo(Arena& arena, const List& other) const {
  if (size() != other.size()) return Value::Bool(false);
  arena.Spend(size() * (1 + other.depth()));
  switch (rule_) {
    case Rule::kSet: return EqualSet(arena, other);
    case Rule::kMap: return EqualMap(arena, other);
    default: return EqualAtomic(arena, other);
  }
}

Value DeclaredList::EqualAtomic(Arena& arena, const List& other) const {
  for (size_t i = 0; i < size(); ++i) {
    const Value equal = EqualInside(arena, at(i), other.at(i));
    if (!equal.is_true()) return equal;
  }
  return Value::Bool(true);
}

Value DeclaredList::EqualSet(Arena& /*arena*/, const List& other) const {
  Scalars own;
  if (const std::optional<Value> error = Insert(*this, own, nullptr)) return *error;
  Scalars others;
  if (const std::optional<Value> error = Insert(other, others, nullptr)) return *error;
  return Value::Bool(own.size() == others.size() &&
                     std::ranges::all_of(others, [&](const Value& value) { return own.contains(value); }));
}

Value DeclaredList::EqualMap(Arena& arena, const List& other) const {
  std::unordered_map<std::string, Value> own;
  for (size_t i = 0; i < size(); ++i) own[KeyOf(at(i), keys_)] = at(i);
  std::unordered_map<std::string, bool> seen;
  for (size_t i = 0; i < other.size(); ++i) {
    const std::string key = KeyOf(other.at(i), keys_);
    const auto found = own.find(key);
    if (found == own.end()) return Value::Bool(false);
    const Value equal = EqualInside(arena, found->second, other.at(i));
    if (!equal.is_true()) return equal;
    seen[key] = true;
  }
  return Value::Bool(seen.size() == own.size());
}

Value DeclaredList::Plus(Arena& arena, const List& other) const {
  SpendOn(arena, *this);
  SpendOn(arena, other);
  std::vector<Value> items;
  if (rule_ == Rule::kSet) {
    Scalars set;
    if (const std::optional<Value> error = Insert(*this, set, nullptr)) return *error;
    for (size_t i = 0; i < size(); ++i) items.push_back(at(i));
    if (const std::optional<Value> error = Insert(other, set, &items)) return *error;
    return Value::Of(arena.Make<DeclaredList>(arena, *arena.Make<Items>(arena, items), rule_, keys_));
  }
  for (size_t i = 0; i < size(); ++i) items.push_back(at(i));
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; rule_ == Rule::kMap && i < items.size(); ++i) places[KeyOf(items[i], keys_)] = i;
  for (size_t i = 0; i < other.size(); ++i) {
    const auto found = rule_ == Rule::kMap ? places.find(KeyOf(other.at(i), keys_)) : places.end();
    if (found == places.end()) {
      items.push_back(other.at(i));
    } else {
      items[found->second] = other.at(i);
    }
  }
  if (rule_ == Rule::kAtomic) return MakeList(arena, items);
  return Value::Of(arena.Make<DeclaredList>(arena, *arena.Make<Items>(arena, items), rule_, keys_));
}

}  // namespace berth::cel
