// SPDX-License-Identifier: Apache-2.0
// The endpoints that the slices of a Service shall have: one for each of its pods.

#pragma once

#include <string>
#include <string_view>

#include "server/controllers/network/service_pods.h"
#include "server/controllers/network/slice_plan.h"
#include "server/store/store.h"

namespace berth::server {

struct PodEndpoints {
  EndpointGroups groups;
  std::string lost_pod;  // One that was left out as its node is not there, and that node; "" if there is none.
  std::string lost_node;
};

// `family`: IPv4 or IPv6.
PodEndpoints EndpointsOf(const StoredObject& service, const Json& tree, std::string_view family,
                         const ServicePods::Selected& selected, const Store::Objects& nodes);

}  // namespace berth::server
