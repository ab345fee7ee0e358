// SPDX-License-Identifier: Apache-2.0
// PluginSet: a set of plugins as bits, and the table that gives plugins their numbers.
//
// Plugins are known by name, the same one in all profiles. The queue compares sets of plugins for every pod and event,
// so names become numbers once, at the border.

#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"

namespace berth::queue {

struct PluginId {
  uint8_t index = 0;
  bool operator==(const PluginId&) const = default;
};

class PluginSet {
 public:
  static constexpr size_t kPluginsMax = 64;

  PluginSet() = default;
  bool empty() const { return bits_ == 0; }
  bool Contains(PluginId plugin) const { return (bits_ >> plugin.index & 1) != 0; }
  void Insert(PluginId plugin) { bits_ |= uint64_t{1} << plugin.index; }
  uint64_t bits() const { return bits_; }

  // Calls `visit(PluginId)` in order of number until it returns true; returns whether it did.
  template <class Visit>
  bool AnyOf(Visit visit) const {
    for (uint64_t rest = bits_; rest != 0; rest &= rest - 1) {
      if (visit(PluginId{static_cast<uint8_t>(std::countr_zero(rest))})) return true;
    }
    return false;
  }

  friend PluginSet operator|(PluginSet a, PluginSet b) { return PluginSet(a.bits_ | b.bits_); }
  friend PluginSet operator&(PluginSet a, PluginSet b) { return PluginSet(a.bits_ & b.bits_); }
  bool operator==(const PluginSet&) const = default;

 private:
  explicit PluginSet(uint64_t bits) : bits_(bits) {}
  uint64_t bits_ = 0;
};

class PluginNames {
 public:
  std::optional<PluginId> Find(std::string_view name) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return PluginId{static_cast<uint8_t>(i)};
    }
    return std::nullopt;
  }
  // The number of `name`, a new one if need be. REQUIRES: at most PluginSet::kPluginsMax names.
  PluginId Intern(std::string_view name) {
    if (const std::optional<PluginId> known = Find(name)) return *known;
    BERTH_ASSERT(names_.size() < PluginSet::kPluginsMax);
    names_.emplace_back(name);
    return {static_cast<uint8_t>(names_.size() - 1)};
  }
  // The set of a range of names.
  template <class Names>
  PluginSet InternAll(const Names& names) {
    PluginSet set;
    for (const auto& name : names) set.Insert(Intern(name));
    return set;
  }
  const std::string& name(PluginId plugin) const { return names_[plugin.index]; }
  size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

}  // namespace berth::queue
