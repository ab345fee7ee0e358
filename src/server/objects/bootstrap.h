// SPDX-License-Identifier: Apache-2.0
// What a cluster has from its first moment: namespaces, system priorities, the address of the API.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/objects/objects.h"

namespace berth::server {

// Makes what is not there yet. Returns what could not be made, because of what was kept from before: another Service
// has the address, say. A cluster is of use without it.
std::vector<std::string> CreateInitialObjects(Objects& objects, uint16_t port);
// Makes what the cluster's controllers see to: what every namespace has (see AddNamespaceDefaults), so that nobody has
// to wait for it.
void CreateNamespaceDefaults(Objects& objects, const std::string& root_ca);
// Makes the default storage class `standard`, unless there is any class.
void CreateStorageClass(Objects& objects);
// Makes the namespace, unless it is there.
Outcome<void> CreateNamespace(Objects& objects, std::string_view name);

}  // namespace berth::server
