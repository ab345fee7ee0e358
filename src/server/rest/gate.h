// SPDX-License-Identifier: Apache-2.0
// Gate: what a request from outside passes before it is handled: it is found out who makes it, in whose name, and
// whether they may.
//
// Thread: that of the store.

#pragma once

#include "net/http_server.h"
#include "server/access/access_control.h"
#include "server/rest/target.h"

namespace berth::server {

// What a request wants. The path is taken apart as for its handling, so that nothing is asked about one thing and done
// to another.
Attributes AttributesOf(const std::string& method, const Target& target);

// As whom the request is carried out; fails if it must not be.
// Cost: little, if everybody may do everything.
Outcome<User> PassGate(AccessControl& access, const net::ServerRequest& request);

}  // namespace berth::server
