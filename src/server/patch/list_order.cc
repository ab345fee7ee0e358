// SPDX-License-Identifier: Apache-2.0
#include "server/patch/list_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "server/patch/list_merge.h"
#include "server/patch/patch_errors.h"

namespace berth::server {
namespace {

constexpr std::ptrdiff_t kAbsent = -1;

// An element with its places in the two orders.
struct Ranked {
  Json element;
  std::ptrdiff_t own = kAbsent;     // In the order by which its part is sorted.
  std::ptrdiff_t server = kAbsent;  // In that of the server.
};

// What identifies an element: the member `merge_key`, or the element itself if there is no key. Null if it is absent.
const Json& IdentityOf(const Json& element, std::string_view merge_key) {
  return merge_key.empty() ? element : element[merge_key];
}

std::ptrdiff_t PlaceIn(const Json::List& order, const Json& element, std::string_view merge_key) {
  const Json& identity = IdentityOf(element, merge_key);
  const auto found =
      std::ranges::find_if(order, [&](const Json& other) { return IdentityOf(other, merge_key) == identity; });
  return found == order.end() ? kAbsent : found - order.begin();
}

Outcome<void> CheckKeys(const Json::List& list, std::string_view merge_key) {
  for (const Json& element : list) {
    if (!element.is_map()) return WrongType("map[string]interface {}", element);
    if (!element.Has(merge_key)) return NoMergeKey(element, merge_key);
  }
  return {};
}

// Whether the patch names the element.
Outcome<bool> IsNamed(const Json& element, const Json::List& by_patch, std::string_view merge_key) {
  if (merge_key.empty()) return std::ranges::find(by_patch, element) != by_patch.end();
  if (!element.is_map()) return WrongType("map[string]interface {}", element);
  const Json* const identity = element.Find(merge_key);
  if (identity == nullptr) return NoMergeKey(element, merge_key);
  for (size_t i = 0; i < by_patch.size(); ++i) {
    if (!by_patch[i].is_map()) return Unforeseen(fmt::format("value for key {} is not a map", i));
    const Json* const other = by_patch[i].Find(merge_key);
    if (other != nullptr && *other == *identity) return true;
  }
  return false;
}

bool ComesFirst(const Ranked& left, const Ranked& right) {
  return left.own == kAbsent || right.own == kAbsent || left.own < right.own;
}

// Elements without a place come before everything they are compared with. That is no order, so the outcome depends on
// the steps of the sort; these are upstream's for lists as long as people write them.
void SortOrdered(std::span<Ranked> part) {
  constexpr size_t kInsertionMax = 20;
  const bool is_order = std::ranges::find(part, kAbsent, &Ranked::own) == part.end();
  if (is_order || part.size() > kInsertionMax) {
    std::ranges::stable_sort(part, {}, &Ranked::own);
    return;
  }
  for (size_t i = 1; i < part.size(); ++i) {
    for (size_t j = i; j > 0 && ComesFirst(part[j], part[j - 1]); --j) std::swap(part[j], part[j - 1]);
  }
}

// Deletions that were left in new elements go to the end.
void Sort(std::vector<Ranked>& part) {
  const auto deletions =
      std::ranges::stable_partition(part, [](const Ranked& each) { return !HasDirective(each.element, "delete"); });
  SortOrdered(std::span(part.begin(), deletions.begin()));
}

Json::List Interleave(std::vector<Ranked> server_only, std::vector<Ranked> named) {
  Json::List all;
  all.reserve(server_only.size() + named.size());
  auto left = server_only.begin();
  auto right = named.begin();
  while (left != server_only.end() && right != named.end()) {
    const bool is_left = left->server != kAbsent && right->server != kAbsent && left->server < right->server;
    all.push_back(std::move(is_left ? left++->element : right++->element));
  }
  for (; left != server_only.end(); ++left) all.push_back(std::move(left->element));
  for (; right != named.end(); ++right) all.push_back(std::move(right->element));
  return all;
}

}  // namespace

Outcome<void> CheckLengths(size_t left, size_t right) {
  constexpr size_t kComparedMax = 25'000'000;
  if (left * right <= kComparedMax) return {};
  return TooLarge(fmt::format("lists of {} and {} elements cannot be merged", left, right));
}

Outcome<Json::List> OrderMerged(Json::List merged, const Json::List& by_patch, const Json::List& by_server,
                                std::string_view merge_key, bool of_maps) {
  BERTH_CHECK_OK(CheckLengths(merged.size(), by_patch.size() + by_server.size()));
  std::vector<Ranked> named;
  std::vector<Ranked> server_only;
  for (Json& element : merged) {
    const bool is_named = BERTH_TRY(IsNamed(element, by_patch, merge_key));
    const std::ptrdiff_t server = PlaceIn(by_server, element, merge_key);
    const std::ptrdiff_t own = is_named ? PlaceIn(by_patch, element, merge_key) : server;
    (is_named ? named : server_only).push_back({.element = std::move(element), .own = own, .server = server});
  }
  if (of_maps) {
    BERTH_CHECK_OK(CheckKeys(by_patch, merge_key));
    BERTH_CHECK_OK(CheckKeys(by_server, merge_key));
  }
  Sort(named);
  Sort(server_only);
  return Interleave(std::move(server_only), std::move(named));
}

}  // namespace berth::server
