// SPDX-License-Identifier: Apache-2.0
// ListCluster: reads the objects of a cluster, once.

#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "client/access/server_access.h"
#include "server/model/json.h"
#include "server/model/resource.h"

namespace berth::app {

// Lists one resource that `wants` wants after another, page by page, in an order in which objects can be loaded, and
// hands over each object with its kind and apiVersion. Kinds that the server does not have are passed over.
Result<void> ListCluster(client::ServerAccess access, const std::string& user_agent,
                         const std::function<bool(const server::Resource&)>& wants,
                         const std::function<void(const server::Json&)>& take);

}  // namespace berth::app
