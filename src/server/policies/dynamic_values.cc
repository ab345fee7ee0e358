// SPDX-License-Identifier: Apache-2.0
#include "server/policies/dynamic_values.h"

#include <charconv>

#include "cel/containers.h"
#include "cel/declared_values.h"
#include "cel/operations.h"

namespace berth::server {
namespace {

using cel::Value;

class DynamicMembers final : public cel::MapSource {
 public:
  DynamicMembers(cel::Arena& arena, const Json& tree) : arena_(arena), tree_(tree) {}

  void Fill(cel::Map& map) const override {
    arena_.Spend(tree_.size());
    for (const Json::Member& member : tree_.members()) {
      arena_.Count(sizeof(cel::Map::Entry));
      map.Set(Value::String(std::string_view(member.name.text())), ToDynamicValue(arena_, member.value));
    }
  }

  size_t size() const override { return tree_.size(); }

  Value Equal(cel::Arena& arena, const cel::Map& map, const cel::Map& other) const override {
    if (map.size() != other.size()) return Value::Bool(false);
    for (const cel::Map::Entry& entry : map.entries()) {
      const Value* const value = other.Find(entry.key);
      if (value == nullptr || !cel::EqualInside(arena, entry.value, *value).is_true()) return Value::Bool(false);
    }
    return Value::Bool(true);
  }

 private:
  cel::Arena& arena_;
  const Json& tree_;
};

class DynamicItems final : public cel::ListSource {
 public:
  DynamicItems(cel::Arena& arena, const Json& tree) : arena_(arena), tree_(tree) {}
  size_t size() const override { return tree_.size(); }
  Value Item(size_t index) const override { return ToDynamicValue(arena_, tree_[index]); }

 private:
  cel::Arena& arena_;
  const Json& tree_;
};

Value ToNumber(const Json& tree) {
  if (const std::optional<int64_t> number = tree.AsInt()) return Value::Int(*number);
  double number = 0;
  const std::string& text = tree.text();
  std::from_chars(text.data(), text.data() + text.size(), number);
  return Value::Double(number);
}

}  // namespace

Value ToDynamicValue(cel::Arena& arena, const Json& tree) {
  switch (tree.kind()) {
    case Json::Kind::kNull: return {};
    case Json::Kind::kBool: return Value::Bool(tree.AsBool());
    case Json::Kind::kNumber: return ToNumber(tree);
    case Json::Kind::kString: return Value::String(tree.text());
    case Json::Kind::kList: {
      const auto* const items = arena.Make<DynamicItems>(arena, tree);
      return Value::Of(arena.Make<cel::DeclaredList>(arena, *items, cel::DeclaredList::Rule::kAtomic,
                                                     std::span<const std::string>()));
    }
    case Json::Kind::kMap: return Value::Of(arena.Make<cel::Map>(*arena.Make<DynamicMembers>(arena, tree)));
  }
  return {};
}

}  // namespace berth::server
