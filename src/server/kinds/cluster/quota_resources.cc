// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/cluster/quota_resources.h"

#include <algorithm>
#include <array>

#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr std::array<std::string_view, 19> kResources = {"cpu",
                                                         "memory",
                                                         "ephemeral-storage",
                                                         "requests.cpu",
                                                         "requests.memory",
                                                         "requests.storage",
                                                         "requests.ephemeral-storage",
                                                         "limits.cpu",
                                                         "limits.memory",
                                                         "limits.ephemeral-storage",
                                                         "pods",
                                                         "resourcequotas",
                                                         "services",
                                                         "replicationcontrollers",
                                                         "secrets",
                                                         "persistentvolumeclaims",
                                                         "configmaps",
                                                         "services.nodeports",
                                                         "services.loadbalancers"};

}  // namespace

bool IsQuotaResource(std::string_view name) {
  return std::ranges::find(kResources, name) != kResources.end() || name.starts_with("hugepages-") ||
         name.starts_with("requests.hugepages-");
}

void CheckResourceName(FieldErrors& errors, const FieldPath& path, const std::string& name) {
  const size_t before = errors.all().size();
  CheckQualifiedName(errors, path, name);
  const bool is_known = name.find('/') != name.npos || name == "storage" || IsQuotaResource(name);
  if (errors.all().size() == before && !is_known) {
    errors.Invalid(path, name, "must be a standard resource type or fully qualified");
  }
}

}  // namespace berth::server
