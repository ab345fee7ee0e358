// SPDX-License-Identifier: Apache-2.0
// What is valid in a service.

#pragma once

#include <string_view>

#include "server/model/field_errors.h"
#include "server/model/json.h"

namespace berth::server {

bool IsServiceType(const Json& spec, std::string_view type);
// Whether traffic comes from outside of the cluster, given the spec.
bool IsExternallyAccessible(const Json& spec);
// Whether clients find the pods by name alone, given the spec.
bool IsHeadless(const Json& spec);
// Whether a service needs no addresses of the cluster at all: a headless one that selects no pods.
bool IsFreeOfFamilies(const Json& spec);
// Whether a port tells balancers which nodes have endpoints, given the spec.
bool NeedsHealthCheck(const Json& spec);

void ValidateService(const Json& service, FieldErrors& errors);
// Of the specs.
void ValidateServiceUpdate(const Json& spec, const Json& old, FieldErrors& errors);
// Parts of it, given the spec. Whether the service can have the addresses of the cluster that it asks for:
bool ValidateAllocation(const Json& spec, FieldErrors& errors);
void ValidateExternalIps(const Json& addresses, FieldErrors& errors);

void ValidateBalancerStatus(const Json& balancer, bool is_balanced, FieldErrors& errors);

}  // namespace berth::server
