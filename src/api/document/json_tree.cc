// SPDX-License-Identifier: Apache-2.0
#include "api/document/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <charconv>
#include <iterator>

#include "api/document/json_writer.h"

namespace berth::api {
namespace {

const Json kNullJson;
const std::string kNoText;
const Json::List kNoItems;
const Json::Map kNoMembers;

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
  // Few names have the same size and the same first letter, so hardly any two are compared.
  return std::ranges::find_if(members, [&](const Json::Member& member) {
    return member.name.size() == name.size() && member.name[0] == name[0] && member.name == name;
  });
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

}  // namespace

Json::Json(std::initializer_list<Member> members) : Json(MakeMap(Map(members))) {}

Json Json::Int(int64_t value) { return Number(fmt::to_string(value)); }

Json Json::MakeMap(Map members) {
  Sort(members);
  return Json(Data(SharedMap(std::move(members))));
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
        members.push_back(Member{.name = std::string(value.key(i)), .value = FromValue(value[i])});
      }
      return Json(Data(SharedMap(std::move(members))));
    }
  }
  return {};
}

const std::string& Json::text() const {
  if (const auto* text = std::get_if<std::string>(&data_)) return *text;
  if (const auto* digits = std::get_if<Digits>(&data_)) return digits->text;
  return kNoText;
}

bool Json::AsBool() const {
  const bool* value = std::get_if<bool>(&data_);
  return value != nullptr && *value;
}

std::optional<int64_t> Json::AsInt() const {
  const auto* digits = std::get_if<Digits>(&data_);
  if (digits == nullptr) return std::nullopt;
  int64_t value = 0;
  const char* end = digits->text.data() + digits->text.size();
  const auto [at, error] = std::from_chars(digits->text.data(), end, value);
  return error == std::errc() && at == end ? std::optional(value) : std::nullopt;
}

size_t Json::size() const { return is_map() ? members().size() : items().size(); }

const Json::List& Json::items() const {
  const SharedList* items = std::get_if<SharedList>(&data_);
  return items == nullptr ? kNoItems : **items;
}

const Json::Map& Json::members() const {
  const SharedMap* members = std::get_if<SharedMap>(&data_);
  return members == nullptr ? kNoMembers : **members;
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
  if (!is_map()) data_ = SharedMap();
  Map& all = mutable_members();
  auto at = LowerBound(all, name);
  if (at == all.end() || at->name != name) at = all.insert(at, Member{.name = std::string(name), .value = {}});
  return at->value;
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
  if (is_null()) data_ = SharedList();
  return mutable_items().emplace_back(std::move(value));
}

bool Json::operator==(const Json& other) const { return data_ == other.data_; }

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

TreeSize SizeOf(const Json& tree) {
  if (tree.is_string()) return {.levels = 0, .nodes = 1, .bytes = tree.text().size() + 2};
  if (!tree.is_list() && !tree.is_map()) return {.levels = 0, .nodes = 1, .bytes = tree.ToText().size()};
  TreeSize size{.levels = 1, .nodes = 1, .bytes = 2 + std::max<size_t>(tree.size(), 1) - 1};  // With its commas.
  const auto add = [&](const Json& child) {
    const TreeSize inner = SizeOf(child);
    size.levels = std::max(size.levels, inner.levels + 1);
    size.nodes += inner.nodes;
    size.bytes += inner.bytes;
  };
  for (const Json& item : tree.items()) add(item);
  for (const Json::Member& member : tree.members()) {
    add(member.value);
    size.bytes += member.name.size() + 3;
  }
  return size;
}

Result<Json> ParseTree(std::string_view text) {
  const Document document = BERTH_TRY(ParseJson(text));
  return Json::FromValue(document.root());
}

}  // namespace berth::api
