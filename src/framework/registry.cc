// SPDX-License-Identifier: Apache-2.0
#include "framework/registry.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::framework {

Result<void> Registry::Add(PluginRow row) {
  if (Find(row.name) != nullptr) {
    return Fail(Code::kConflict, fmt::format("a plugin named {} already exists", row.name));
  }
  rows_.push_back(std::move(row));
  return {};
}

const PluginRow* Registry::Find(std::string_view name) const {
  const std::string_view kind = name.substr(0, name.find(':'));
  const auto it =
      std::ranges::find_if(rows_, [&](const PluginRow& row) { return row.name == (row.several ? kind : name); });
  return it == rows_.end() ? nullptr : &*it;
}

}  // namespace berth::framework
