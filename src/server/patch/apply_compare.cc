// SPDX-License-Identifier: Apache-2.0
#include "server/patch/apply_compare.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/patch/apply_schema.h"

namespace berth::server {
namespace {

using Kind = ApplyType::Kind;

// Puts the elements below another one; an empty or absent `below` adds nothing.
void Attach(Json& parent, api::MemberName element, Json below) {
  if (below.is_null()) return;
  if (!parent.is_map()) parent = Json::MakeMap();
  parent.mutable_members().push_back({std::move(element), std::move(below)});
}

struct Item {
  std::string element;
  const Json* value;
};

// By element; equal ones in the order of the list. Items that have no element are left out.
std::vector<Item> ItemsOf(const ApplyType& type, const Json& list) {
  std::vector<Item> items;
  items.reserve(list.size());
  for (const Json& value : list.items()) {
    if (std::string element = ItemElement(type, value); !element.empty()) items.push_back({std::move(element), &value});
  }
  std::ranges::stable_sort(items, {}, &Item::element);
  return items;
}

// The items at the start that have the same element.
std::span<const Item> Run(std::span<const Item> items) {
  size_t count = 0;
  while (count < items.size() && items[count].element == items[0].element) ++count;
  return items.first(count);
}

// Walks the sorted members of a map once, by ascending names.
class Cursor {
 public:
  explicit Cursor(const Json& map) : rest_(map.members()) {}

  const Json* Take(std::string_view name) {
    for (; !rest_.empty(); rest_ = rest_.subspan(1)) {
      const int order = rest_.front().name.compare(name);
      if (order >= 0) return order == 0 ? &rest_.front().value : nullptr;
    }
    return nullptr;
  }

 private:
  std::span<const Json::Member> rest_;
};

// Whether containers that are fields of structs are fields too, or only what they hold.
enum class Containers : uint8_t { kLeftOut, kIncluded };

Json Collect(const ApplyType& type, const Json& value, bool with_self, Containers containers);

void CollectItems(const ApplyType& type, const Json& list, Containers containers, Json& result) {
  const std::vector<Item> items = ItemsOf(type, list);
  for (std::span<const Item> rest = items; !rest.empty();) {
    const std::span<const Item> run = Run(rest);
    Attach(result, run[0].element,
           run.size() == 1 ? Collect(*type.item, *run[0].value, true, containers) : Json::MakeMap());
    rest = rest.subspan(run.size());
  }
}

void CollectMembers(const ApplyType& type, const Json& map, Containers containers, Json& result) {
  for (const Json::Member& member : map.members()) {
    const ApplyField* field = type.kind == Kind::kStruct ? type.Find(member.name) : nullptr;
    if (type.kind == Kind::kStruct && field == nullptr && type.item == nullptr) continue;
    const bool is_empty = member.value.is_null() || (member.value.is_map() && member.value.empty());
    const bool with_self = containers == Containers::kIncluded || is_empty || field == nullptr;
    if (field != nullptr) {
      Attach(result, field->element, Collect(*field->type, member.value, with_self, containers));
    } else {
      Attach(result, "f:" + member.name, Collect(*type.item, member.value, with_self, containers));
    }
  }
}

// The elements of a value and all that it names; null if there are none.
Json Collect(const ApplyType& type, const Json& value, bool with_self, Containers containers) {
  const bool is_deduced_leaf = type.kind == Kind::kDeduced && !value.is_map();
  if (type.is_leaf() || is_deduced_leaf || (with_self && value.empty())) return Json::MakeMap();
  Json result;
  if (with_self) {
    result = Json::MakeMap();
    result.mutable_members().reserve(value.size() + 1);
    result.mutable_members().push_back({".", Json::MakeMap()});
  }
  if (type.kind == Kind::kList) {
    CollectItems(type, value, containers, result);
  } else {
    CollectMembers(type, value, containers, result);
  }
  if (with_self && result.size() == 1) result.mutable_members().clear();
  return result;
}

// The elements below a value that differ; null if there are none.
struct Elements {
  Json changed;
  Json removed;
};

void AttachBoth(Elements& parent, const api::MemberName& element, Elements below) {
  Attach(parent.changed, element, std::move(below.changed));
  Attach(parent.removed, element, std::move(below.removed));
}

// Whether they are one list or map, of which a copy was made and not changed.
bool IsSame(const Json& left, const Json& right) {
  if (left.is_map()) return right.is_map() && &left.members() == &right.members();
  return left.is_list() && right.is_list() && &left.items() == &right.items();
}

Elements Compare(const ApplyType& type, const Json* left, const Json* right);

void CompareStructs(const ApplyType& type, const Json& left, const Json& right, Elements& result) {
  Cursor lefts(left);
  Cursor rights(right);
  for (const ApplyField& field : type.fields) {
    const Json* old = lefts.Take(field.name());
    const Json* now = rights.Take(field.name());
    if (old == nullptr && now != nullptr && left.is_map()) old = field.zero;
    if (old != nullptr || now != nullptr) AttachBoth(result, field.element, Compare(*field.type, old, now));
  }
}

// The members that are no fields.
void CompareOthers(const ApplyType& type, const Json& left, const Json& right, Elements& result) {
  const auto compare = [&](const std::string& name, const Json* old, const Json* now) {
    if (type.Find(name) == nullptr) AttachBoth(result, "f:" + name, Compare(*type.item, old, now));
  };
  for (const Json::Member& member : left.members()) compare(member.name, &member.value, right.Find(member.name));
  for (const Json::Member& member : right.members()) {
    if (left.Find(member.name) == nullptr) compare(member.name, nullptr, &member.value);
  }
  for (Json* const each : {&result.changed, &result.removed}) {
    if (each->is_map()) std::ranges::sort(each->mutable_members(), {}, &Json::Member::name);
  }
}

void CompareMaps(const ApplyType& type, const Json& left, const Json& right, Elements& result) {
  const Json::Map& olds = left.members();
  const Json::Map& news = right.members();
  auto old = olds.begin();
  auto now = news.begin();
  while (old != olds.end() || now != news.end()) {
    const int order = old == olds.end() ? 1 : now == news.end() ? -1 : old->name.compare(now->name);
    const std::string& name = order <= 0 ? old->name : now->name;
    AttachBoth(result, "f:" + name,
               Compare(*type.item, order <= 0 ? &old->value : nullptr, order >= 0 ? &now->value : nullptr));
    if (order <= 0) ++old;
    if (order >= 0) ++now;
  }
}

// Items of equal elements. More than one of a kind are compared and owned as a whole.
Elements CompareRuns(const ApplyType& type, std::span<const Item> olds, std::span<const Item> news) {
  if (olds.size() <= 1 && news.size() <= 1) {
    return Compare(*type.item, olds.empty() ? nullptr : olds[0].value, news.empty() ? nullptr : news[0].value);
  }
  if (olds.size() >= 2 && news.size() >= 2) {
    const bool is_same = std::ranges::equal(
        olds, news, [](const Item& left, const Item& right) { return SameValue(*left.value, *right.value); });
    return {.changed = is_same ? Json() : Json::MakeMap(), .removed = {}};
  }
  const bool was_many = olds.size() >= 2;
  const std::span<const Item> one = was_many ? news : olds;
  Elements result;
  if (!one.empty()) {
    result = Compare(*type.item, was_many ? nullptr : one[0].value, was_many ? one[0].value : nullptr);
  }
  AddSelf(was_many ? result.removed : result.changed);
  return result;
}

void CompareLists(const ApplyType& type, const Json& left, const Json& right, Elements& result) {
  if (left == right) return;
  const std::vector<Item> olds = ItemsOf(type, left);
  const std::vector<Item> news = ItemsOf(type, right);
  std::span<const Item> old = olds;
  std::span<const Item> now = news;
  while (!old.empty() || !now.empty()) {
    const int order = old.empty() ? 1 : now.empty() ? -1 : old[0].element.compare(now[0].element);
    const std::span<const Item> from = order <= 0 ? Run(old) : std::span<const Item>();
    const std::span<const Item> to = order >= 0 ? Run(now) : std::span<const Item>();
    AttachBoth(result, order <= 0 ? old[0].element : now[0].element, CompareRuns(type, from, to));
    old = old.subspan(from.size());
    now = now.subspan(to.size());
  }
}

// REQUIRES: one of them is there.
Elements Compare(const ApplyType& type, const Json* left, const Json* right) {
  Elements result;
  if (left == nullptr) {
    result.changed = Collect(type, *right, true, Containers::kIncluded);
  } else if (right == nullptr) {
    result.removed = Collect(type, *left, true, Containers::kIncluded);
  } else if (IsSame(*left, *right)) {
    return result;
  } else if (type.is_leaf() || (left->empty() && right->empty()) ||
             (type.kind == Kind::kDeduced && (!left->is_map() || !right->is_map()))) {
    if (!SameValue(*left, *right)) result.changed = Json::MakeMap();
  } else if (type.kind == Kind::kStruct) {
    CompareStructs(type, *left, *right, result);
    if (type.item != nullptr) CompareOthers(type, *left, *right, result);
  } else if (type.kind == Kind::kMap || type.kind == Kind::kDeduced) {
    CompareMaps(type, *left, *right, result);
  } else {
    CompareLists(type, *left, *right, result);
  }
  return result;
}

}  // namespace

FieldSet FieldsOf(const Json& object, const ObjectSchema& schema) {
  return FieldSet(Collect(ApplyTypeOf(schema), object, false, Containers::kLeftOut));
}

FieldChanges CompareFields(const Json* old, const Json& object, const ObjectSchema& schema) {
  static const Json kNew = Json::MakeMap();
  Elements result = Compare(ApplyTypeOf(schema), old == nullptr ? &kNew : old, &object);
  return {FieldSet(std::move(result.changed)), FieldSet(std::move(result.removed))};
}

bool SameValue(const Json& left, const Json& right) {
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case Json::Kind::kNumber:
      return left == right || std::strtod(left.text().c_str(), nullptr) == std::strtod(right.text().c_str(), nullptr);
    case Json::Kind::kList: return std::ranges::equal(left.items(), right.items(), SameValue);
    case Json::Kind::kMap:
      return std::ranges::equal(left.members(), right.members(), [](const Json::Member& a, const Json::Member& b) {
        return a.name == b.name && SameValue(a.value, b.value);
      });
    default: return left == right;
  }
}

}  // namespace berth::server
