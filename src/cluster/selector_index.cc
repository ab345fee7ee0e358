// SPDX-License-Identifier: Apache-2.0

#include "cluster/selector_index.h"

namespace berth::cluster {
namespace {

using Form = SelectorPlace::Form;
using Op = api::Selector::Op;

constexpr size_t kTextsMax = 64;  // What needs more is kept in a wider place.

bool SelectsNothing(const SelectorReach& reach) {
  if (!reach.all_namespaces && reach.namespaces.empty()) return true;
  return std::ranges::any_of(reach.selectors, [](const api::Selector& selector) { return selector.matches_nothing(); });
}

// The place of pods that have the key with one of `values`, by namespace if that is possible.
SelectorPlace PlaceOf(const SelectorReach& reach, Form form, std::string_view key,
                      std::span<const std::string> values) {
  SelectorPlace place{.form = form, .any_namespace = false, .texts = {}};
  place.any_namespace = reach.all_namespaces || reach.namespaces.size() * values.size() > kTextsMax;
  const auto add = [&](const std::string_view* ns) {
    for (const std::string& value : values) WritePlace(form, ns, key, value, place.texts.emplace_back());
  };
  if (place.any_namespace) {
    add(nullptr);
  } else {
    for (const std::string_view ns : reach.namespaces) add(&ns);
  }
  // Values may be repeated.
  std::ranges::sort(place.texts);
  const auto repeated = std::ranges::unique(place.texts);
  place.texts.erase(repeated.begin(), repeated.end());
  return place;
}

bool NeedsKey(Op op) { return op != Op::kNotIn && op != Op::kDoesNotExist; }

}  // namespace

std::vector<SelectorPlace> SelectorPlaces(const SelectorReach& reach) {
  if (SelectsNothing(reach)) return {SelectorPlace()};
  const std::string unused;
  std::vector<SelectorPlace> places;
  for (const api::Selector& selector : reach.selectors) {
    for (const auto& [key, op, values, bound, is_equality] : selector.requirements()) {
      if (op == Op::kIn && values.size() <= kTextsMax) {
        places.push_back(PlaceOf(reach, Form::kPair, key, values));
      } else if (NeedsKey(op)) {
        places.push_back(PlaceOf(reach, Form::kKey, key, std::span(&unused, 1)));
      }
    }
  }
  if (places.empty()) places.push_back(PlaceOf(reach, Form::kAnything, "", std::span(&unused, 1)));
  std::ranges::stable_sort(places, {}, &SelectorPlace::form);
  return places;
}

}  // namespace berth::cluster
