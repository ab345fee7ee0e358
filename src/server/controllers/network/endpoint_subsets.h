// SPDX-License-Identifier: Apache-2.0
// The subsets of the Endpoints of a Service: addresses that offer the same ports stand together.

#pragma once

#include "server/controllers/network/service_pods.h"

namespace berth::server {

// Of Endpoints; what is beyond that is left out.
inline constexpr size_t kAddressesMax = 1000;

struct EndpointSubsets {
  Json subsets;               // A list, as it stands in Endpoints.
  bool is_truncated = false;  // There were more addresses.
};

// `service`: with a selector, which selects the pods.
EndpointSubsets SubsetsOf(const StoredObject& service, const Json& tree, const ServicePods::Selected& selected);

}  // namespace berth::server
