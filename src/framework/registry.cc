// SPDX-License-Identifier: Apache-2.0
#include "framework/registry.h"

#include <fmt/format.h>

namespace berth::framework {

Result<void> Registry::Add(std::string_view name, PluginFactory factory) {
  const bool added = factories_.try_emplace(std::string(name), std::move(factory)).second;
  if (!added) return Fail(Code::kConflict, fmt::format("a plugin named {} already exists", name));
  return {};
}

const PluginFactory* Registry::Find(std::string_view name) const {
  const auto it = factories_.find(name.substr(0, name.find(':')));
  return it == factories_.end() ? nullptr : &it->second;
}

}  // namespace berth::framework
