// SPDX-License-Identifier: Apache-2.0
// The containers of a pod: regular, init and ephemeral.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "server/kinds/pods/container_mounts.h"
#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// What of the pod matters to its containers.
struct ContainerContext {
  Volumes volumes;
  std::vector<std::string_view> claims;  // Names of the pod's resource claims.
  std::optional<int64_t> grace_seconds;
  std::string_view restart_policy;
  bool has_host_users = true;
};

void ValidateContainers(const Json& spec, const ContainerContext& context, const FieldPath& spec_path,
                        FieldErrors& errors);

// Calls `visit(container, path)` for init, regular and ephemeral containers, in this order.
template <class Visit>
void ForEachContainer(const Json& spec, const FieldPath& spec_path, Visit&& visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const FieldPath path = spec_path / list;
    const Json& containers = spec[list];
    for (size_t i = 0; i < containers.size(); ++i) visit(containers[i], path[i]);
  }
}

// An image name of a pod, unlike one of a template, has no space around it.
void ValidateImageSpace(const Json& container, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
