// SPDX-License-Identifier: Apache-2.0
// WatchedResource: one kind of object as the API server offers it.

#pragma once

#include <string>

namespace berth::client {

struct WatchedResource {
  std::string kind;         // Such as CSINode.
  std::string api_version;  // Such as storage.k8s.io/v1.
  std::string plural;       // Such as csinodes.
  std::string field_selector;

  // Of the objects of all namespaces.
  std::string Path() const { return (api_version == "v1" ? "/api/" : "/apis/") + api_version + "/" + plural; }
};

}  // namespace berth::client
