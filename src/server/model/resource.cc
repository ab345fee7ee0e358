// SPDX-License-Identifier: Apache-2.0
#include "server/model/resource.h"

#include <algorithm>
#include <utility>

namespace berth::server {

const Subresource* Resource::FindSubresource(std::string_view name) const {
  const auto found = std::ranges::find(subresources, name, &Subresource::name);
  return found != subresources.end() ? &*found : nullptr;
}

std::string Resource::Qualified() const {
  std::string text(plural);
  if (!group.empty()) text.append(".").append(group);
  return text;
}

Json ToStored(const Resource& resource, Json object) {
  return !resource.to_stored ? std::move(object) : resource.to_stored(std::move(object));
}

Json FromStored(const Resource& resource, Json object) {
  return !resource.from_stored ? std::move(object) : resource.from_stored(std::move(object));
}

}  // namespace berth::server
