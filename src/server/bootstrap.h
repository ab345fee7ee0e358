// SPDX-License-Identifier: Apache-2.0
// What a cluster has from its first moment: namespaces, system priorities, the address of the API.

#pragma once

#include <cstdint>
#include <string_view>

#include "server/objects.h"

namespace berth::server {

// Makes what is not there yet.
void CreateInitialObjects(Objects& objects, uint16_t port);
// Makes the namespace, unless it is there.
void CreateNamespace(Objects& objects, std::string_view name);

}  // namespace berth::server
