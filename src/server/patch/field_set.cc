// SPDX-License-Identifier: Apache-2.0
#include "server/patch/field_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "api/document/field_error.h"
#include "server/patch/go_json.h"

namespace berth::server {
namespace {

constexpr std::string_view kSelf = ".";
constexpr int kDepthMax = 200;  // Deeper than any kind.

// The members of an element without ".".
std::span<const Json::Member> Children(const Json& element) {
  const Json::Map& members = element.members();
  const bool has_self = !members.empty() && members.front().name == kSelf;
  return std::span(members).subspan(has_self ? 1 : 0);
}

// The member of `other` with this name; `from` moves along, since names come in order.
const Json* Seek(std::span<const Json::Member>& from, const std::string& name) {
  while (!from.empty() && from.front().name < name) from = from.subspan(1);
  return !from.empty() && from.front().name == name ? &from.front().value : nullptr;
}

void MergeElements(Json& into, Json from);

void MergeMembers(Json::Map& into, Json::Map from) {
  Json::Map merged;
  merged.reserve(into.size() + from.size());
  auto left = into.begin();
  auto right = from.begin();
  while (left != into.end() || right != from.end()) {
    const int order = left == into.end() ? 1 : right == from.end() ? -1 : left->name.compare(right->name);
    merged.push_back(std::move(order <= 0 ? *left : *right));
    if (order == 0) MergeElements(merged.back().value, std::move(right->value));
    if (order <= 0) ++left;
    if (order >= 0) ++right;
  }
  into = std::move(merged);
}

void MergeElements(Json& into, Json from) {
  const bool has_self = HasSelf(into) || HasSelf(from);
  if (!from.empty()) MergeMembers(into.mutable_members(), std::move(from.mutable_members()));
  if (has_self) AddSelf(into);
}

// Whether something is left.
bool SubtractElement(Json& element, const Json& other, bool is_root) {
  const bool has_self = !is_root && HasSelf(element) && !HasSelf(other);
  std::span<const Json::Member> others = Children(other);
  bool has_children = false;
  std::erase_if(element.mutable_members(), [&](Json::Member& member) {
    if (member.name == kSelf) return !has_self;
    const Json* same = Seek(others, member.name);
    if (same != nullptr && !SubtractElement(member.value, *same, false)) return true;
    has_children = true;
    return false;
  });
  if (!has_children) element.mutable_members().clear();
  return has_self || has_children;
}

// Whether something is left.
bool SubtractTree(Json& element, const Json& other, bool is_root) {
  const bool has_self = !is_root && HasSelf(element);
  std::span<const Json::Member> others = Children(other);
  bool has_children = false;
  std::erase_if(element.mutable_members(), [&](Json::Member& member) {
    if (member.name == kSelf) return false;
    const Json* same = Seek(others, member.name);
    if (same != nullptr && (HasSelf(*same) || !SubtractTree(member.value, *same, false))) return true;
    has_children = true;
    return false;
  });
  if (!has_children) element.mutable_members().clear();
  return has_self || has_children;
}

// Null if nothing is in both.
Json Intersect(const Json& left, const Json& right, bool is_root) {
  Json result;
  if (!is_root && HasSelf(left) && HasSelf(right)) result = Json::MakeMap();
  const bool has_self = result.is_map();
  std::span<const Json::Member> others = Children(right);
  for (const Json::Member& member : Children(left)) {
    const Json* same = Seek(others, member.name);
    if (same == nullptr) continue;
    Json below = Intersect(member.value, *same, false);
    if (below.is_null()) continue;
    if (!result.is_map()) result = Json::MakeMap();
    if (has_self && result.empty()) result.mutable_members().push_back({std::string(kSelf), Json::MakeMap()});
    result.mutable_members().push_back({member.name, std::move(below)});
  }
  return result;
}

// The element as this class spells it; empty if its type is unknown.
Result<std::string> ParseElement(std::string_view text) {
  if (text.size() < 2) return Invalid("key must be 2 characters long:");
  if (text[1] != ':') return Invalid(fmt::format("missing colon: {}", text));
  const std::string_view content = text.substr(2);
  switch (text[0]) {
    case 'f': return std::string(text);
    case 'i': {
      const Json index = Json::Number(std::string(content));
      if (!index.AsInt()) return Invalid(fmt::format("invalid index: {}", content));
      return fmt::format("i:{}", *index.AsInt());
    }
    case 'k':
    case 'v': {
      const Json value = BERTH_TRY(ParseTree(content));
      if (text[0] == 'k' && !value.is_map()) return Invalid(fmt::format("expected a map of keys: {}", content));
      std::string spelled(text.substr(0, 2));
      AppendGoJson(spelled, value);
      return spelled;
    }
    default: return std::string();
  }
}

Result<Json> ParseElements(const Json& fields, bool is_root, int depth) {
  if (depth > kDepthMax) return Invalid("the fields are nested too deeply");
  if (!fields.is_map() && !fields.is_null()) return Invalid("expected a map of fields");
  Json::Map parsed;
  bool has_self = false;
  for (const Json::Member& member : fields.members()) {
    if (member.name == kSelf) {
      has_self = !is_root;
      continue;
    }
    std::string element = BERTH_TRY(ParseElement(member.name));
    if (element.empty()) continue;
    Json below = BERTH_TRY(ParseElements(member.value, false, depth + 1));
    parsed.push_back({std::move(element), std::move(below)});
  }
  Json result = Json::MakeMap(std::move(parsed));
  if (has_self) AddSelf(result);
  return result;
}

std::string ValueText(const Json& value) { return value.is_string() ? api::GoQuote(value.text()) : value.ToText(); }

// The value or keys of an element.
Json ContentOf(std::string_view element) { return ParseTree(element.substr(2)).value_or(Json()); }

// In upstream's order: numbers, strings, booleans.
int CompareValues(const Json& left, const Json& right) {
  const auto sign = [](auto a, auto b) { return a < b ? -1 : a > b ? 1 : 0; };
  if (left.is_number() != right.is_number()) return left.is_number() ? -1 : 1;
  if (left.AsInt() && right.AsInt()) return sign(*left.AsInt(), *right.AsInt());
  if (left.is_number()) {
    return sign(std::strtod(left.text().c_str(), nullptr), std::strtod(right.text().c_str(), nullptr));
  }
  if (left.is_string() != right.is_string()) return left.is_string() ? -1 : 1;
  if (left.is_string()) return left.text().compare(right.text());
  return sign(left.AsBool(), right.AsBool());
}

bool IsBefore(const Json::Member& left, const Json::Member& right) {
  constexpr std::string_view kTypes = "fkvi";
  const size_t left_type = kTypes.find(left.name[0]);
  const size_t right_type = kTypes.find(right.name[0]);
  if (left_type != right_type) return left_type < right_type;
  if (left.name[0] == 'f') return left.name < right.name;
  const Json a = ContentOf(left.name);
  const Json b = ContentOf(right.name);
  if (left.name[0] != 'k') return CompareValues(a, b) < 0;
  return std::ranges::lexicographical_compare(a.members(), b.members(), [](const auto& x, const auto& y) {
    return x.name != y.name ? x.name < y.name : CompareValues(x.value, y.value) < 0;
  });
}

void Visit(const Json& element, std::vector<std::string_view>& path, const std::function<void(FieldSet::Path)>& visit) {
  std::vector<const Json::Member*> members;
  for (const Json::Member& member : Children(element)) members.push_back(&member);
  std::ranges::stable_sort(members, [](const auto* left, const auto* right) { return IsBefore(*left, *right); });
  for (const bool is_below : {false, true}) {
    for (const Json::Member* member : members) {
      path.push_back(member->name);
      if (is_below) {
        Visit(member->value, path, visit);
      } else if (HasSelf(member->value)) {
        visit(path);
      }
      path.pop_back();
    }
  }
}

}  // namespace

FieldSet FieldSet::OfNames(std::initializer_list<std::initializer_list<std::string_view>> paths) {
  FieldSet set;
  for (const auto& path : paths) {
    Json* element = &set.root_;
    for (const std::string_view name : path) {
      const bool is_leaf = element != &set.root_ && element->is_map() && element->empty();
      if (is_leaf) element->Set(kSelf, Json::MakeMap());
      element = &element->Make(fmt::format("f:{}", name));
    }
    if (element->is_null()) {
      *element = Json::MakeMap();
    } else {
      AddSelf(*element);
    }
  }
  return set;
}

Result<FieldSet> FieldSet::Parse(const Json& fields) { return FieldSet(BERTH_TRY(ParseElements(fields, true, 0))); }

bool FieldSet::Has(Path elements) const {
  const Json* element = &root_;
  for (const std::string_view name : elements) {
    element = element->Find(name);
    if (element == nullptr) return false;
  }
  return !elements.empty() && HasSelf(*element);
}

void FieldSet::Add(FieldSet other) {
  if (!other.empty()) MergeMembers(root_.mutable_members(), std::move(other.root_.mutable_members()));
}

void FieldSet::Subtract(const FieldSet& other) { SubtractElement(root_, other.root_, true); }

void FieldSet::SubtractTrees(const FieldSet& other) { SubtractTree(root_, other.root_, true); }

FieldSet FieldSet::Intersection(const FieldSet& other) const { return FieldSet(Intersect(root_, other.root_, true)); }

void FieldSet::ForEach(const std::function<void(Path)>& visit) const {
  std::vector<std::string_view> path;
  Visit(root_, path, visit);
}

std::string FieldPathText(FieldSet::Path elements) {
  std::string text;
  for (const std::string_view element : elements) {
    switch (element[0]) {
      case 'f': text += fmt::format(".{}", element.substr(2)); break;
      case 'i': text += fmt::format("[{}]", element.substr(2)); break;
      case 'v': text += fmt::format("[={}]", ValueText(ContentOf(element))); break;
      default: {
        std::string keys;
        const Json content = ContentOf(element);
        for (const Json::Member& key : content.members()) {
          keys += fmt::format("{}{}={}", keys.empty() ? "" : ",", key.name, ValueText(key.value));
        }
        text += fmt::format("[{}]", keys);
      }
    }
  }
  return text;
}

bool HasSelf(const Json& element) {
  return element.is_map() && (element.empty() || element.members().front().name == kSelf);
}

void AddSelf(Json& element) {
  if (!element.is_map()) {
    element = Json::MakeMap();
  } else if (!HasSelf(element)) {
    Json::Map& members = element.mutable_members();
    members.insert(members.begin(), {std::string(kSelf), Json::MakeMap()});
  }
}

}  // namespace berth::server
