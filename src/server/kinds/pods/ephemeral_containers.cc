// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/ephemeral_containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace berth::server {

void PrepareEphemeralContainers(Json& pod, const Json& old) {
  const Json containers = pod["spec"]["ephemeralContainers"];
  const Json managed_fields = pod["metadata"]["managedFields"];
  const Json version = pod["metadata"]["resourceVersion"];
  pod = old;
  Json& spec = pod.Make("spec");
  spec.Erase("ephemeralContainers");
  if (!containers.empty()) spec.Set("ephemeralContainers", containers);
  Json& metadata = pod.Make("metadata");
  metadata.Erase("managedFields");
  if (!managed_fields.is_null()) metadata.Set("managedFields", managed_fields);
  metadata.Set("resourceVersion", version);
}

void ValidateEphemeralContainersUpdate(const Json& pod, const Json& old, FieldErrors& errors) {
  if (old["metadata"]["annotations"].Has("kubernetes.io/config.mirror")) {
    errors.Take();
    return errors.Forbidden(FieldPath(""), "static pods do not support ephemeral containers");
  }
  const FieldPath spec_path("spec");
  const FieldPath path = spec_path / "ephemeralContainers";
  for (const Json& before : old["spec"]["ephemeralContainers"].items()) {
    const std::string& name = before["name"].text();
    const Json::List& now = pod["spec"]["ephemeralContainers"].items();
    const auto found = std::ranges::find_if(now, [&](const Json& each) { return each["name"].text() == name; });
    if (found == now.end()) {
      errors.Forbidden(path, fmt::format("existing ephemeral containers \"{}\" may not be removed\n", name));
    } else if (*found != before) {
      errors.Forbidden(path, fmt::format("existing ephemeral containers \"{}\" may not be changed\n", name));
    }
  }
}

}  // namespace berth::server
