// SPDX-License-Identifier: Apache-2.0
// AskServer: one request to a server, whose answer is waited for.

#pragma once

#include <string>

#include "base/result.h"
#include "client/access/server_access.h"
#include "client/request/rest_client.h"

namespace berth::app {

// The body of the answer. A refusal is an error with the server's words: kInvalid if it says that the request makes no
// sense, else kUnavailable.
Result<std::string> AskServer(client::ServerAccess access, const std::string& user_agent, client::RestRequest request);

}  // namespace berth::app
