// SPDX-License-Identifier: Apache-2.0
#include "server/resource.h"

#include <algorithm>

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

}  // namespace berth::server
