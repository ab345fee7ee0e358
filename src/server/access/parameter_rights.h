// SPDX-License-Identifier: Apache-2.0
// Rights to the parameters of admission policies.
//
// What a policy says of a write may tell what its parameters hold. So whoever writes a policy or a binding must be
// allowed to read the objects that it takes them from.

#pragma once

#include "server/access/roles.h"

namespace berth::server {

// Refuses a policy or binding, `object`, whose parameters `user` may not read; `old` is the one that is there, null if
// there is none. Whatever else it is passes. In upstream's words.
Outcome<void> CheckParameterRights(const Catalog& catalog, const Store& store, const Roles& roles, const User& user,
                                   const Resource& resource, const Json& object, const Json* old);

}  // namespace berth::server
