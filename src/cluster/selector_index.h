// SPDX-License-Identifier: Apache-2.0
// SelectorIndex: things that select pods by namespace and labels, found by the pods that they may select.
//
// Each is kept under something that every pod it selects has: a label with one of a few values, or a label key, or
// else nothing, each of them in one of a few namespaces or in any. A pod looks at what is kept under its own namespace
// and labels and so meets everything that selects it, each once, and little else. Who is met still has to be asked
// whether it matches.
//
// Thread: core. Copies share what they do not change. Cost: a few lookups per label of the pod.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/parts/selector.h"
#include "base/assert.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

// Which pods something selects, at most: those in the namespaces that match every selector.
struct SelectorReach {
  std::span<const std::string> namespaces;
  bool all_namespaces = false;
  std::span<const api::Selector> selectors;
};

// Where something is kept.
struct SelectorPlace {
  // What is asked of a pod there.
  enum class Form : uint8_t { kPair, kKey, kAnything };
  static constexpr size_t kForms = 6;  // Each of them by namespace and without.

  Form form = Form::kAnything;
  bool any_namespace = false;
  std::vector<std::string> texts;  // A pod that is selected has one of them; empty: no pod is.

  static size_t FormIndex(Form form, bool any_namespace) {
    return 2 * static_cast<size_t>(form) + (any_namespace ? 1 : 0);
  }
  size_t form_index() const { return FormIndex(form, any_namespace); }
};

// The text of a place: of the namespace (nullptr: any), the label key and the value, as far as the form asks for them.
inline void WritePlace(SelectorPlace::Form form, const std::string_view* ns, std::string_view key,
                       std::string_view value, std::string& text) {
  const auto append = [&](std::string_view part) {
    const size_t size = part.size();
    text.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(part);
  };
  text.assign(1, static_cast<char>(SelectorPlace::FormIndex(form, ns == nullptr)));
  append(ns == nullptr ? std::string_view() : *ns);
  append(form == SelectorPlace::Form::kAnything ? std::string_view() : key);
  if (form == SelectorPlace::Form::kPair) text.append(value);
}

// All places where the thing could be kept, the most selective form first.
std::vector<SelectorPlace> SelectorPlaces(const SelectorReach& reach);

template <class T>
class SelectorIndex {
 public:
  size_t size() const { return size_; }

  // Returns where it is, which Remove needs.
  SelectorPlace Add(const SelectorReach& reach, T thing) {
    SelectorPlace place = LeastCrowded(SelectorPlaces(reach));
    for (const std::string& text : place.texts) things_[text].push_back(thing);
    ++forms_[place.form_index()];
    ++size_;
    return place;
  }
  // REQUIRES: it is there.
  void Remove(const SelectorPlace& place, const T& thing) {
    for (const std::string& text : place.texts) {
      std::vector<T>* things = things_.Edit(text);
      BERTH_ASSERT(things != nullptr);
      const auto it = std::ranges::find(*things, thing);
      BERTH_ASSERT(it != things->end());
      *it = things->back();
      things->pop_back();
      if (things->empty()) things_.Erase(text);
    }
    --forms_[place.form_index()];
    --size_;
  }

  // Calls `visit(thing)` for everything that may select a pod of this namespace and labels, in no particular order.
  void ForEach(std::string_view ns, const api::Labels& labels, auto visit) const {
    if (size_ == 0) return;
    using Form = SelectorPlace::Form;
    std::string text;
    const auto look = [&](Form form, std::string_view key, std::string_view value) {
      for (const std::string_view* in : std::initializer_list<const std::string_view*>{&ns, nullptr}) {
        if (forms_[SelectorPlace::FormIndex(form, in == nullptr)] == 0) continue;
        WritePlace(form, in, key, value, text);
        const std::vector<T>* things = things_.Find(text);
        if (things != nullptr) std::ranges::for_each(*things, visit);
      }
    };
    look(Form::kAnything, {}, {});
    for (const auto& [key, value] : labels) {
      look(Form::kKey, key, {});
      look(Form::kPair, key, value);
    }
  }

 private:
  // Of the places of the best form, the one where a pod meets the fewest others.
  SelectorPlace LeastCrowded(std::vector<SelectorPlace> places) const {
    const auto crowd = [&](const SelectorPlace& place) {
      size_t most = 0;
      for (const std::string& text : place.texts) {
        const std::vector<T>* things = things_.Find(text);
        most = std::max(most, things == nullptr ? size_t{0} : things->size());
      }
      return most;
    };
    const auto end =
        std::ranges::find_if(places, [&](const SelectorPlace& place) { return place.form != places.front().form; });
    return *std::ranges::min_element(places.begin(), end, {}, crowd);
  }

  ShardedMap<StringMap<std::vector<T>>> things_;       // By the texts of their places.
  std::array<size_t, SelectorPlace::kForms> forms_{};  // How many are kept in each form.
  size_t size_ = 0;
};

}  // namespace berth::cluster
