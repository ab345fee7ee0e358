// SPDX-License-Identifier: Apache-2.0
// What an object uses of quotas, and which quotas are about it.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/time.h"
#include "server/kinds/pods/pod_amounts.h"
#include "server/model/resource.h"
#include "server/store/store.h"

namespace berth::server {

// Of one object.
struct QuotaUsage {
  Amounts amounts;
  // The scopes to which it belongs; those with values as `PriorityClass=high`.
  std::set<std::string, std::less<>> scopes = {};

  bool operator==(const QuotaUsage&) const = default;
};

// Device classes and the extended resources that they stand for.
struct ClassNames {
  std::map<std::string, std::string, std::less<>> resources;  // By class; "" if it stands for none.
  std::set<std::string, std::less<>> all_resources;
};

// What of the cluster usage depends on. REQUIRES: device classes do not change while it is there.
struct QuotaView {
  const Store& store;
  const Catalog& catalog;
  Time now;                                                // Pods whose end is long overdue count no more.
  mutable std::shared_ptr<const ClassNames> classes = {};  // Read when they are asked for.
};

// Whether there can be quotas on its objects at all.
bool HasQuotas(const Resource& resource);

// Whether objects of the resource count under a name that a quota limits.
bool CountsUnder(const Resource& resource, std::string_view name, const QuotaView& view);

QuotaUsage UsageOf(const Resource& resource, const Json& object, const QuotaView& view);

// Whether an object of this usage belongs to all scopes that the spec of a quota names.
bool IsInScopes(const Json& quota_spec, const QuotaUsage& usage);

// When a pod that is to end counts no more though it is still there.
std::optional<Time> OverdueAt(const Json& pod);

}  // namespace berth::server
