// SPDX-License-Identifier: Apache-2.0
// WatchedResource: one kind of object as the API server offers it.

#pragma once

#include <string>

namespace berth::client {

struct WatchedResource {
  std::string kind;         // Such as CSINode; see api::ManifestKind.
  std::string api_version;  // Such as storage.k8s.io/v1.
  std::string plural;       // Such as csinodes.
  std::string field_selector;
  bool is_custom = false;  // A custom resource: a server that does not know it has no such objects.

  // Of the objects of all namespaces.
  std::string Path() const { return (api_version == "v1" ? "/api/" : "/apis/") + api_version + "/" + plural; }
};

}  // namespace berth::client
