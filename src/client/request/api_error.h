// SPDX-License-Identifier: Apache-2.0
// What the texts of API errors are made of. ErrorOf itself stands in client/request/rest_client.h.

#pragma once

#include <string>
#include <string_view>

namespace berth::client {

// Method, resource with its group, and name: "get pods web", "post leases.coordination.k8s.io". Empty if `path` is not
// one of a resource.
std::string AskedFor(std::string_view method, std::string_view path);

}  // namespace berth::client
