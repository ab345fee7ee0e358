// SPDX-License-Identifier: Apache-2.0
#include "cel/containers.h"

#include <bit>
#include <functional>
#include <optional>

#include "cel/numbers.h"
#include "cel/operations.h"

namespace berth::cel {

Value List::EqualTo(Arena& /*arena*/, const List& /*other*/) const { return NoSuchOverload(); }
Value List::Plus(Arena& /*arena*/, const List& /*other*/) const { return NoSuchOverload(); }

Value JoinedList::at(size_t index) const {
  // Sizes are asked for anew, because a growing list may have grown since.
  const size_t first = first_.size();
  return index < first ? first_.at(index) : second_.at(index - first);
}

void GrowingList::Append(Arena& arena, const List& other) const {
  const size_t count = other.size();
  arena.Count(count * sizeof(Value));
  SpendOn(arena, other);
  for (size_t i = 0; i < count; ++i) values_.push_back(other.at(i));
}

void SpendOn(Arena& arena, const List& list) {
  uint64_t steps = 0;
  if (__builtin_mul_overflow(uint64_t{list.size()}, uint64_t{list.depth()}, &steps)) steps = Arena::kStepsMax;
  arena.Spend(steps + 1);
}

Value MakeList(Arena& arena, std::span<const Value> values) {
  const std::span<Value> copy = arena.Array<Value>(values.size());
  std::uninitialized_copy(values.begin(), values.end(), copy.begin());
  return Value::Of(arena.Make<ArrayList>(copy));
}

bool SameKey::operator()(const Value& left, const Value& right) const {
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case Kind::kNull: return true;
    case Kind::kBool: return left.boolean() == right.boolean();
    case Kind::kInt: return left.integer() == right.integer();
    case Kind::kUint: return left.unsigned_integer() == right.unsigned_integer();
    case Kind::kDouble: return left.real() == right.real();
    case Kind::kString: return left.string() == right.string();
    case Kind::kType: return left.type_name() == right.type_name();
    case Kind::kDuration: return left.duration_nanos() == right.duration_nanos();
    default: return left.identity() == right.identity();
  }
}

size_t KeyHash::operator()(const Value& key) const {
  switch (key.kind()) {
    case Kind::kString: return std::hash<std::string_view>()(key.string());
    case Kind::kDouble:  // -0 is 0.
      return std::hash<double>()(key.real() == 0 ? 0 : key.real());
    case Kind::kType: return std::hash<std::string_view>()(key.type_name());
    default: return std::hash<const void*>()(key.identity());
  }
}

size_t Map::IndexOf(const Value& key) const {
  if (index_ != nullptr) {
    const auto it = index_->find(key);
    return it == index_->end() ? entries_.size() : it->second;
  }
  size_t i = 0;
  while (i < entries_.size() && !SameKey()(entries_[i].key, key)) ++i;
  return i;
}

const Value* Map::Find(const Value& key) const {
  if (!is_filled_ && !source_->FillOne(const_cast<Map&>(*this), key)) FillOnce();
  const auto exactly = [this](const Value& same) {
    const size_t i = IndexOf(same);
    return i < entries_.size() ? &entries_[i].value : nullptr;
  };
  if (const Value* found = exactly(key)) return found;
  if (key.Is(Kind::kDouble)) {
    if (const std::optional<int64_t> number = ExactInt(key.real())) {
      if (const Value* found = exactly(Value::Int(*number))) return found;
    }
    if (const std::optional<uint64_t> number = ExactUint(key.real())) return exactly(Value::Uint(*number));
  } else if (key.Is(Kind::kInt) && key.integer() >= 0) {
    return exactly(Value::Uint(static_cast<uint64_t>(key.integer())));
  } else if (key.Is(Kind::kUint) && key.unsigned_integer() <= INT64_MAX) {
    return exactly(Value::Int(static_cast<int64_t>(key.unsigned_integer())));
  }
  return nullptr;
}

bool Map::FindOrFallback(const Value& key, Value& value) const {
  if (const Value* found = Find(key)) {
    value = *found;
    return true;
  }
  if (fallback_ == nullptr) return false;
  value = Value::Of(fallback_);
  return true;
}

void Map::Remove(const Value& key) {
  const size_t i = IndexOf(key);
  if (i == entries_.size()) return;
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
  index_ = nullptr;
  if (entries_.size() > kLinear) MakeIndex();
}

void Map::MakeIndex() const {
  index_ = std::make_unique<Index>();
  for (size_t at = 0; at < entries_.size(); ++at) (*index_)[entries_[at].key] = at;
}

void Map::Add(Arena& arena, const Value& key, const Value& value) const {
  arena.Count(sizeof(Entry) * 2);
  Insert(key, value, false);
}

void Map::Insert(const Value& key, const Value& value, bool may_replace) const {
  if (may_replace) {
    const size_t i = IndexOf(key);
    if (i < entries_.size()) {
      entries_[i].value = value;
      return;
    }
  }
  entries_.push_back({key, value});
  if (index_ != nullptr) {
    (*index_)[key] = entries_.size() - 1;
  } else if (entries_.size() > kLinear) {
    MakeIndex();
  }
}

}  // namespace berth::cel
