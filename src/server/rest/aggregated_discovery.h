// SPDX-License-Identifier: Apache-2.0
// The aggregated form of discovery: one document with all groups, versions and resources.

#pragma once

#include <memory>
#include <span>
#include <string>

#include "server/model/resource.h"

namespace berth::server {

using Resources = std::span<const Resource* const>;

// Takes the resources of one version from the front of `rest`. Those of a version stand together, as do the versions of
// a group.
// REQUIRES: there are some.
Resources TakeVersion(Resources& rest);

// An APIGroupDiscoveryList: of the core, or of all other groups.
std::string AggregatedDiscovery(const Catalog& catalog, bool is_core);

}  // namespace berth::server
