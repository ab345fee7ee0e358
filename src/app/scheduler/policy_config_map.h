// SPDX-License-Identifier: Apache-2.0
// ReadPolicyConfigMap: the text of a legacy Policy that is kept in a ConfigMap.

#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "client/request/rest_client.h"
#include "config/algorithm_source.h"

namespace berth::scheduler_app {

// Asks once, for at most ten seconds, and calls `done` once. Errors are upstream's: `couldn't get policy config map
// NS/NAME: ...`.
//
// Thread: that of the client.
void ReadPolicyConfigMap(client::RestClient& client, const config::PolicyConfigMap& where,
                         std::move_only_function<void(Result<std::string>)> done);

}  // namespace berth::scheduler_app
