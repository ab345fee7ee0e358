// SPDX-License-Identifier: Apache-2.0
// The roles and bindings that every cluster has from its first moment, as upstream's API server makes them.

#pragma once

#include "server/objects/objects.h"

namespace berth::server {

// Makes what is not there yet, and leaves alone what is.
Outcome<void> CreateBootstrapPolicy(Objects& objects);

}  // namespace berth::server
