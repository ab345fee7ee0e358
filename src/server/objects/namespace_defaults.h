// SPDX-License-Identifier: Apache-2.0
// What every namespace has without being asked: its `default` service account, and the certificates by which its pods
// know the API server.

#pragma once

#include <string>
#include <string_view>

#include "server/admission/rules.h"
#include "server/objects/objects.h"

namespace berth::server {

inline constexpr std::string_view kRootCaConfig = "kube-root-ca.crt";

// Makes what is missing in the namespace, and sets the certificates right. `root_ca` is PEM, "" for a server without
// TLS. Does nothing in a namespace that is gone or going.
Outcome<void> AddNamespaceDefaults(Objects& objects, std::string_view ns, const std::string& root_ca);

}  // namespace berth::server
