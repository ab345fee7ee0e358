// SPDX-License-Identifier: Apache-2.0
#include "server/patch/list_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "server/patch/go_text.h"
#include "server/patch/list_order.h"
#include "server/patch/patch_errors.h"

namespace berth::server {
namespace {

// An element reduced to its merge key. One without a key stays whole, to be shown in an error.
Json IdentityOnly(const Json& element, std::string_view merge_key) {
  const Json* const identity = element.Find(merge_key);
  return identity == nullptr ? element : Json{{std::string(merge_key), *identity}};
}

Json::List Identities(const Json::List& elements, std::string_view merge_key) {
  Json::List identities;
  identities.reserve(elements.size());
  for (const Json& element : elements) identities.push_back(IdentityOnly(element, merge_key));
  return identities;
}

// A list of maps while a patch is merged into it.
class KeyedList {
 public:
  KeyedList(Json::List elements, std::string_view merge_key)
      : elements_(std::move(elements)), place_(Identities(elements_, merge_key)), merge_key_(merge_key) {}

  // The first element with this identity; null if there is none.
  Json* Find(const Json& identity) {
    const auto found = std::ranges::find_if(elements_, [&](const Json& element) {
      const Json* const other = element.Find(merge_key_);
      return other != nullptr && *other == identity;
    });
    return found == elements_.end() ? nullptr : &*found;
  }

  void Delete(const Json& identity) {
    while (const Json* const element = Find(identity)) {
      const auto index = element - elements_.data();
      const auto size = static_cast<std::ptrdiff_t>(elements_.size());
      std::copy(place_.begin() + index + 1, place_.begin() + size, place_.begin() + index);
      elements_.erase(elements_.begin() + index);
    }
  }

  void Append(const Json& element) {
    if (elements_.size() < place_.size()) place_[elements_.size()] = IdentityOnly(element, merge_key_);
    elements_.push_back(element);
  }

  void Replace(const std::vector<Json*>& elements) {
    elements_.clear();
    for (const Json* const element : elements) elements_.push_back(*element);
  }

  const Json::List& elements() const { return elements_; }
  // See MergedList; identities alone.
  const Json::List& place() const { return place_; }
  Json::List Take() { return std::move(elements_); }

 private:
  Json::List elements_;
  Json::List place_;
  std::string_view merge_key_;
};

// Obeys the elements of `patch` that are directives. Returns the others, unless they have replaced the list already.
Outcome<std::vector<Json*>> ObeyDirectives(KeyedList& list, Json::List& patch, std::string_view merge_key) {
  std::vector<Json*> others;
  bool replaces = false;
  for (Json& element : patch) {
    if (!element.Has(kPatchDirective)) {
      others.push_back(&element);
    } else if (HasDirective(element, "delete")) {
      const Json* const identity = element.Find(merge_key);
      if (identity == nullptr) return NoMergeKey(element, merge_key);
      list.Delete(*identity);
    } else if (HasDirective(element, "replace")) {
      replaces = true;
    } else if (HasDirective(element, "merge")) {
      return Unforeseen("merging lists cannot yet be specified in the patch");
    } else {
      return UnknownDirective(element);
    }
  }
  if (replaces) list.Replace(std::exchange(others, {}));
  return others;
}

Outcome<MergedList> MergeMaps(Json::List original, Json::List& patch, const PatchField& field, MergeElement merge) {
  if (field.merge_key.empty()) {
    return Unforeseen(fmt::format("cannot merge lists without merge key for {}", field.schema.go_kind));
  }
  KeyedList list(std::move(original), field.merge_key);
  const std::vector<Json*> changes = BERTH_TRY(ObeyDirectives(list, patch, field.merge_key));
  const Json::List by_server = Identities(list.elements(), field.merge_key);
  Json::List by_patch;
  for (Json* const change : changes) {
    const Json* const identity = change->Find(field.merge_key);
    if (identity == nullptr) return NoMergeKey(*change, field.merge_key);
    by_patch.push_back(IdentityOnly(*change, field.merge_key));
    if (Json* const current = list.Find(*identity)) {
      BERTH_CHECK_OK(merge(*current, *change, field.schema));
    } else {
      list.Append(*change);
    }
  }
  MergedList merged;
  merged.place = list.place();
  merged.list = BERTH_TRY(OrderMerged(list.Take(), by_patch, by_server, field.merge_key, true));
  return merged;
}

Outcome<MergedList> MergeScalars(const Json::List& original, const Json::List& patch, const PatchField& field) {
  Json::List merged;
  for (const Json::List* const list : {&original, &patch}) {
    for (const Json& element : *list) {
      if (std::ranges::find(merged, element) == merged.end()) merged.push_back(element);
    }
  }
  Json::List ordered = BERTH_TRY(OrderMerged(std::move(merged), patch, original, field.merge_key, false));
  return MergedList{std::move(ordered), original};
}

}  // namespace

bool HasDirective(const Json& element, std::string_view directive) {
  const Json& found = element[kPatchDirective];
  return found.is_string() && found.text() == directive;
}

Refusal UnknownDirective(const Json& element) {
  return Unforeseen(
      fmt::format("unknown patch type: {} in map: {}", GoStringText(element[kPatchDirective]), GoText(element)));
}

Outcome<bool> AreMaps(const Json::List& first, const Json::List& second) {
  if (first.empty() && second.empty()) return Unforeseen("no elements in any of the given slices");
  const std::string_view type = GoType(first.empty() ? second[0] : first[0]);
  if (type == "[]interface {}") return DoesNotApply();
  const auto is_other = [&](const Json& element) { return GoType(element) != type; };
  if (std::ranges::any_of(first, is_other) || std::ranges::any_of(second, is_other)) {
    return Unforeseen(fmt::format("list element types are not identical: [{} {}]", GoText(Json::MakeList(first)),
                                  GoText(Json::MakeList(second))));
  }
  return type == "map[string]interface {}";
}

Outcome<MergedList> MergeList(Json::List original, Json::List& patch, const PatchField& field, MergeElement merge) {
  if (!field.merges) return MergedList{patch, std::move(original)};
  if (original.empty() && patch.empty()) return MergedList{};
  BERTH_CHECK_OK(CheckLengths(patch.size(), original.size() + patch.size()));
  if (BERTH_TRY(AreMaps(original, patch))) return MergeMaps(std::move(original), patch, field, merge);
  return MergeScalars(original, patch, field);
}

Outcome<Json::List> DeleteFromList(Json::List original, Json::List& patch, const PatchField& field,
                                   MergeElement merge) {
  if (original.empty() && patch.empty()) return original;
  BERTH_CHECK_OK(CheckLengths(patch.size(), original.size() + patch.size()));
  if (BERTH_TRY(AreMaps(original, patch))) {
    MergedList merged = BERTH_TRY(MergeMaps(std::move(original), patch, field, merge));
    return std::move(merged.list);
  }
  std::erase_if(original, [&](const Json& element) { return std::ranges::find(patch, element) != patch.end(); });
  return original;
}

}  // namespace berth::server
