// SPDX-License-Identifier: Apache-2.0
#include "api/document/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <charconv>
#include <iterator>
#include <limits>

#include "api/document/json_writer.h"
#include "base/assert.h"

namespace berth::api {
namespace {

const Json kNullJson;

// Maps of so many members are looked through from the beginning.
constexpr size_t kScannedMax = 16;

template <class Members>
auto LowerBound(Members& members, std::string_view name) {
  return std::ranges::lower_bound(members, name, {},
                                  [](const Json::Member& member) -> std::string_view { return member.name; });
}

// The end if there is none.
Json::Map::const_iterator FindMember(const Json::Map& members, std::string_view name) {
  if (members.size() > kScannedMax || name.empty()) {
    const auto at = LowerBound(members, name);
    return at != members.end() && at->name == name ? at : members.end();
  }
  const MemberName::Outline outline = MemberName::OutlineOf(name);
  return std::ranges::find_if(members, [&](const Json::Member& member) { return member.name.Is(name, outline); });
}

// Sorts by name; of equal names the last stays.
void Sort(Json::Map& members) {
  if (std::ranges::adjacent_find(members, [](const Json::Member& left, const Json::Member& right) {
        return left.name >= right.name;
      }) == members.end()) {
    return;
  }
  std::ranges::reverse(members);
  std::ranges::stable_sort(members, {}, &Json::Member::name);
  const auto rest = std::ranges::unique(members, {}, &Json::Member::name);
  members.erase(rest.begin(), rest.end());
}

// The places of the members of a map by their names; of equal names the last. To sort these is cheaper than to sort
// the members.
boost::container::small_vector<size_t, 32> OrderOfNames(api::Value map) {
  boost::container::small_vector<std::string_view, 32> names;
  boost::container::small_vector<size_t, 32> order;
  for (size_t i = 0; i < map.size(); ++i) {
    names.push_back(map.key(i));
    order.push_back(i);
  }
  std::ranges::sort(order, [&](size_t left, size_t right) {
    const int names_compared = names[left].compare(names[right]);
    return names_compared < 0 || (names_compared == 0 && left > right);
  });
  const auto rest = std::ranges::unique(order, {}, [&](size_t i) { return names[i]; });
  order.erase(rest.begin(), rest.end());
  return order;
}

TreeSize SizeOfScalar(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kBool: return {.levels = 0, .nodes = 1, .bytes = value.AsBool() ? size_t{4} : 5};
    case Json::Kind::kNumber: return {.levels = 0, .nodes = 1, .bytes = value.text().size()};
    case Json::Kind::kString: return {.levels = 0, .nodes = 1, .bytes = value.text().size() + 2};
    default: return {.levels = 0, .nodes = 1, .bytes = 4};
  }
}

}  // namespace

const std::string Json::kNoText;
const Json::List Json::kNoItems;
const Json::Map Json::kNoMembers;

Json::Json(std::initializer_list<Member> members) : Json(MakeMap(Map(members))) {}

Json Json::Int(int64_t value) { return Number(fmt::to_string(value)); }

Json Json::MakeMap(Map members) {
  Sort(members);
  return {Kind::kMap, members.empty() ? nullptr : new SharedMap(std::move(members))};
}

void Json::Destroy() {
  switch (kind_) {
    case Kind::kNull:
    case Kind::kBool: return;
    case Kind::kNumber:
    case Kind::kString: delete static_cast<SharedText*>(shared_); return;
    case Kind::kList: delete static_cast<SharedList*>(shared_); return;
    case Kind::kMap: delete static_cast<SharedMap*>(shared_); return;
  }
}

template <class Node>
Node& Json::Edit() {
  if (shared_ == nullptr) {
    shared_ = new Node({});
  } else if (!is_alone()) {
    *this = Json(kind_, new Node(static_cast<const Node*>(shared_)->value));
  } else {
    static_cast<Node*>(shared_)->Change();
  }
  return *static_cast<Node*>(shared_);
}

Json::List& Json::mutable_items() {
  BERTH_ASSERT(is_list());
  return Edit<SharedList>().value;
}

Json::Map& Json::mutable_members() {
  BERTH_ASSERT(is_map());
  return Edit<SharedMap>().value;
}

std::string& Json::mutable_text() {
  BERTH_ASSERT(is_string());
  return Edit<SharedText>().value;
}

Json Json::FromValue(Value value) {
  switch (value.kind()) {
    case Kind::kNull: return {};
    case Kind::kBool: return Bool(value.AsBool().value_or(false));
    case Kind::kNumber: return Number(std::string(value.text()));
    case Kind::kString: return String(value.text());
    case Kind::kList: {
      List items;
      items.reserve(value.size());
      for (size_t i = 0; i < value.size(); ++i) items.push_back(FromValue(value[i]));
      return MakeList(std::move(items));
    }
    case Kind::kMap: {
      Map members;
      members.reserve(value.size());
      for (const size_t i : OrderOfNames(value)) {
        members.push_back(Member{.name = value.key(i), .value = FromValue(value[i])});
      }
      return {Kind::kMap, members.empty() ? nullptr : new SharedMap(std::move(members))};
    }
  }
  return {};
}

std::optional<int64_t> Json::AsInt() const {
  if (!is_number()) return std::nullopt;
  const std::string& digits = text();
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc() && at == end ? std::optional(value) : std::nullopt;
}

const Json& Json::operator[](std::string_view name) const {
  const Json* member = Find(name);
  return member == nullptr ? kNullJson : *member;
}

const Json& Json::operator[](size_t index) const {
  const List& all = items();
  return index < all.size() ? all[index] : kNullJson;
}

const Json* Json::Find(std::string_view name) const {
  const Map& all = members();
  const auto at = FindMember(all, name);
  return at == all.end() ? nullptr : &at->value;
}

Json* Json::Find(std::string_view name) {
  const Map& all = members();
  const auto at = FindMember(all, name);
  return at == all.end() ? nullptr : &mutable_members()[static_cast<size_t>(at - all.begin())].value;
}

Json& Json::Make(std::string_view name) {
  if (!is_map()) *this = MakeMap();
  if (Json* const present = Find(name)) return *present;
  Map& all = mutable_members();
  return all.insert(LowerBound(all, name), Member{.name = name, .value = {}})->value;
}

Json& Json::Make(std::initializer_list<std::string_view> path) {
  Json* at = this;
  for (const std::string_view name : path) at = &at->Make(name);
  return *at;
}

void Json::SetDefault(std::string_view name, Json value) {
  if ((*this)[name].is_null()) Make(name) = std::move(value);
}

bool Json::Erase(std::string_view name) {
  if (!is_map()) return false;
  const Map& present = members();
  const auto found = FindMember(present, name);
  if (found == present.end()) return false;
  const auto index = found - present.begin();
  Map& all = mutable_members();
  all.erase(all.begin() + index);
  return true;
}

Json& Json::Append(Json value) {
  if (is_null()) *this = MakeList();
  return mutable_items().emplace_back(std::move(value));
}

bool Json::operator==(const Json& other) const {
  if (kind_ != other.kind_ || is_true_ != other.is_true_) return false;
  if (shared_ == other.shared_) return true;
  switch (kind_) {
    case Kind::kNull:
    case Kind::kBool: return true;
    case Kind::kNumber:
    case Kind::kString: return text() == other.text();
    case Kind::kList: return items() == other.items();
    case Kind::kMap: return members() == other.members();
  }
  return false;
}

std::string Json::ToText() const {
  std::string out;
  AppendText(out);
  return out;
}

void Json::AppendText(std::string& out) const {
  switch (kind()) {
    case Kind::kNull: out += "null"; return;
    case Kind::kBool: out += AsBool() ? "true" : "false"; return;
    case Kind::kNumber: out += text(); return;
    case Kind::kString: AppendQuoted(out, text()); return;
    case Kind::kList:
      out += '[';
      for (const Json& item : items()) {
        if (&item != items().data()) out += ',';
        item.AppendText(out);
      }
      out += ']';
      return;
    case Kind::kMap:
      out += '{';
      for (const Member& member : members()) {
        if (&member != members().data()) out += ',';
        AppendQuoted(out, member.name);
        out += ':';
        member.value.AppendText(out);
      }
      out += '}';
      return;
  }
}

void Json::SharedTree::Remember(const TreeSize& size) const {
  constexpr size_t kMax = std::numeric_limits<uint32_t>::max();
  if (size.levels > kMax || size.nodes > kMax || size.bytes > kMax) return;
  nodes.store(static_cast<uint32_t>(size.nodes), std::memory_order_relaxed);
  bytes.store(static_cast<uint32_t>(size.bytes), std::memory_order_relaxed);
  levels.store(static_cast<uint32_t>(size.levels), std::memory_order_release);
}

std::optional<TreeSize> Json::SharedTree::Remembered() const {
  const size_t known = levels.load(std::memory_order_acquire);
  if (known == 0) return std::nullopt;
  return TreeSize{
      .levels = known, .nodes = nodes.load(std::memory_order_relaxed), .bytes = bytes.load(std::memory_order_relaxed)};
}

TreeSize Json::Measure(TreeSize (*of)(const Json& child)) const {
  TreeSize size{.levels = 1, .nodes = 1, .bytes = 2 + std::max<size_t>(this->size(), 1) - 1};  // With its commas.
  const auto add = [&](const Json& child) {
    const TreeSize inner = of(child);
    size.levels = std::max(size.levels, inner.levels + 1);
    size.nodes += inner.nodes;
    size.bytes += inner.bytes;
  };
  for (const Json& item : items()) add(item);
  for (const Member& member : members()) {
    add(member.value);
    size.bytes += member.name.size() + 3;
  }
  return size;
}

TreeSize Json::MeasureAnew(const Json& tree) {
  return tree.is_list() || tree.is_map() ? tree.Measure(MeasureAnew) : SizeOfScalar(tree);
}

TreeSize SizeOf(const Json& tree) {
  if (!tree.is_list() && !tree.is_map()) return SizeOfScalar(tree);
  if (tree.shared_ == nullptr) return tree.Measure(SizeOf);
  const auto& shared = *static_cast<const Json::SharedTree*>(tree.shared_);
  if (const std::optional<TreeSize> known = shared.Remembered()) {
    BERTH_DASSERT(*known == Json::MeasureAnew(tree));
    return *known;
  }
  const TreeSize size = tree.Measure(SizeOf);
  shared.Remember(size);
  return size;
}

Result<Json> ParseTree(std::string_view text) {
  const Document document = BERTH_TRY(ParseJson(text));
  return Json::FromValue(document.root());
}

}  // namespace berth::api
