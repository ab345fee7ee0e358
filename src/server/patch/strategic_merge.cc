// SPDX-License-Identifier: Apache-2.0
#include "server/patch/strategic_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/patch/go_text.h"
#include "server/patch/list_merge.h"
#include "server/patch/list_order.h"
#include "server/patch/merge_patch.h"
#include "server/patch/patch_errors.h"
#include "server/patch/patch_schema.h"

namespace berth::server {
namespace {

constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList";
constexpr std::string_view kSetOrder = "$setElementOrder";
constexpr std::string_view kGoMap = "map[string]interface {}";
constexpr std::string_view kGoList = "[]interface {}";

Outcome<void> MergeMap(Json& object, Json& patch, const PatchSchema& schema);

template <class T>
Outcome<T> OrUnforeseen(Result<T> result) {
  if (!result) return Unforeseen(std::move(result.error().message));
  return *std::move(result);
}

// `$setElementOrder/f` -> f. Nothing unless the name is of this form.
std::optional<std::string_view> FieldOf(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.substr(prefix.size()).starts_with('/')) return std::nullopt;
  return name.substr(prefix.size() + 1);
}

// Takes the maps with a `$patch` out of `value`.
void DropDirected(Json& value) {
  if (value.is_list()) {
    std::erase_if(value.mutable_items(), [](const Json& item) { return item.Has(kPatchDirective); });
    for (Json& item : value.mutable_items()) DropDirected(item);
  }
  if (!value.is_map()) return;
  std::erase_if(value.mutable_members(), [](const Json::Member& member) { return member.value.Has(kPatchDirective); });
  for (Json::Member& member : value.mutable_members()) DropDirected(member.value);
}

// Sets a member that is new or of another type than it was.
void Put(Json& object, std::string_view name, Json& value) {
  DropNulls(value);
  if (value.Has(kPatchDirective)) {
    object.Erase(name);
    return;
  }
  Json kept = value;
  DropDirected(kept);
  object.Set(name, std::move(kept));
}

Outcome<void> ApplyRetainKeys(Json& object, Json& patch) {
  const Json* const found = patch.Find(kRetainKeys);
  if (found == nullptr) return {};
  const Json keys = *found;
  patch.Erase(kRetainKeys);
  const auto is_retained = [&](std::string_view name) {
    return std::ranges::any_of(keys.items(), [&](const Json& key) { return key.is_string() && key.text() == name; });
  };
  const auto is_stray = [&](const Json::Member& member) {
    return !member.value.is_null() && !member.name.starts_with(kDeleteFromList) &&
           !member.name.starts_with(kSetOrder) && !is_retained(member.name);
  };
  if (!keys.is_list() || std::ranges::any_of(patch.members(), is_stray)) {
    return BadRequest("invalid patch format of retainKeys");
  }
  std::erase_if(object.mutable_members(), [&](const Json::Member& member) { return !is_retained(member.name); });
  return {};
}

Outcome<bool> AreSame(const Json& left, const Json& right, std::string_view merge_key) {
  if (merge_key.empty()) return left == right;
  for (const Json* const element : {&left, &right}) {
    if (!element->is_map()) return WrongType(kGoMap, *element);
  }
  for (const Json* const element : {&left, &right}) {
    if (!element->Has(merge_key)) return NoMergeKey(*element, merge_key);
  }
  return left[merge_key] == right[merge_key];
}

// The elements of the patch must stand in the order of the directive, which names them all.
Outcome<void> CheckOrder(const Json::List& patch, const Json::List& order, std::string_view merge_key) {
  if (order.empty() || patch.empty()) return {};
  const auto not_map = std::ranges::find_if_not(patch, &Json::is_map);
  if (!merge_key.empty() && not_map != patch.end()) return WrongType(kGoMap, *not_map);
  size_t next = 0;
  for (const Json& element : patch) {
    if (HasDirective(element, "delete")) continue;
    for (bool is_found = false; !is_found; ++next) {
      if (next == order.size()) {
        return Unforeseen(fmt::format("The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
                                      GoText(Json::MakeList(patch)), GoText(Json::MakeList(order))));
      }
      if (element.Has(kPatchDirective)) break;
      is_found = BERTH_TRY(AreSame(element, order[next], merge_key));
    }
  }
  return {};
}

// Merges the list that a `$setElementOrder` is about and takes it out of the patch.
Outcome<void> MergeOrdered(Json& object, Json& patch, const Json::Member& directive, const PatchSchema& schema) {
  const Json& order = directive.value;
  if (!order.is_list()) return WrongType(kGoList, order);
  const auto name = FieldOf(directive.name, kSetOrder);
  if (!name) return BadRequest("invalid patch format of setElementOrder list");
  Json* const current = object.Find(*name);
  Json* const change = patch.Find(*name);
  for (const Json* const list : {current, change}) {
    if (list != nullptr && !list->is_list()) return WrongType(kGoList, *list);
  }
  const PatchField field = BERTH_TRY(OrUnforeseen(schema.FindList(*name)));
  BERTH_CHECK_OK(CheckOrder(change == nullptr ? Json::List() : change->items(), order.items(), field.merge_key));
  if (current == nullptr && change == nullptr) return {};

  const auto are_maps =
      AreMaps(current == nullptr ? Json::List() : current->items(), change == nullptr ? Json::List() : change->items());
  MergedList merged;
  if (change == nullptr) {
    merged = {current->items(), current->items()};
  } else if (current == nullptr) {
    DropDirected(*change);
    merged = {std::move(change->mutable_items()), {}};
  } else {
    merged = BERTH_TRY(MergeList(std::move(current->mutable_items()), change->mutable_items(), field, MergeMap));
  }
  if (!are_maps) return std::unexpected(are_maps.error());
  Json::List ordered =
      BERTH_TRY(OrderMerged(std::move(merged.list), order.items(), merged.place, field.merge_key, *are_maps));
  object.Set(*name, Json::MakeList(std::move(ordered)));
  patch.Erase(*name);
  return {};
}

Outcome<void> MergeOrderedLists(Json& object, Json& patch, const PatchSchema& schema) {
  const auto is_order = [](const Json::Member& member) { return member.name.starts_with(kSetOrder); };
  Json::Map& members = patch.mutable_members();
  Json::Map directives;
  std::ranges::copy_if(members, std::back_inserter(directives), is_order);
  std::erase_if(members, is_order);
  for (const Json::Member& directive : directives) BERTH_CHECK_OK(MergeOrdered(object, patch, directive, schema));
  return {};
}

Outcome<void> MergeMember(Json& object, Json::Member& change, const PatchSchema& schema) {
  const bool deletes = change.name.starts_with(kDeleteFromList);
  const auto listed = FieldOf(change.name, kDeleteFromList);
  if (deletes && !listed) return BadRequest("invalid patch format of primitive list");
  const std::string_view name = deletes && !listed->empty() ? *listed : std::string_view(change.name);
  Json& value = change.value;
  if (value.is_null()) {
    object.Erase(name);
    return {};
  }
  Json* const current = object.Find(name);
  if (current == nullptr || current->kind() != value.kind()) {
    if (!deletes) Put(object, name, value);
    return {};
  }
  if (value.is_map()) {
    const PatchField field = BERTH_TRY(OrUnforeseen(schema.FindMap(name)));
    if (!field.replaces) return MergeMap(*current, value, field.schema);
  }
  if (value.is_list()) {
    const PatchField field = BERTH_TRY(OrUnforeseen(schema.FindList(name)));
    Json::List& original = current->mutable_items();
    if (deletes) {
      original = BERTH_TRY(DeleteFromList(std::move(original), value.mutable_items(), field, MergeMap));
    } else {
      original = BERTH_TRY(MergeList(std::move(original), value.mutable_items(), field, MergeMap)).list;
    }
    return {};
  }
  *current = value;
  return {};
}

Outcome<void> MergeMap(Json& object, Json& patch, const PatchSchema& schema) {
  if (patch.Has(kPatchDirective)) {
    const bool replaces = HasDirective(patch, "replace");
    if (!replaces && !HasDirective(patch, "delete")) return UnknownDirective(patch);
    if (replaces) patch.Erase(kPatchDirective);
    object = replaces ? patch : Json::MakeMap();
    return {};
  }
  BERTH_CHECK_OK(ApplyRetainKeys(object, patch));
  BERTH_CHECK_OK(MergeOrderedLists(object, patch, schema));
  for (Json::Member& change : patch.mutable_members()) BERTH_CHECK_OK(MergeMember(object, change, schema));
  return {};
}

}  // namespace

Outcome<Json> ApplyStrategicMerge(Json object, Json& patch, const api::wire::Message& message) {
  BERTH_CHECK_OK(MergeMap(object, patch, PatchSchema(message)));
  return object;
}

}  // namespace berth::server
