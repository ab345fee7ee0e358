// SPDX-License-Identifier: Apache-2.0
// What stands where envtest looks for etcd. Berth keeps objects itself, so this one only says that it is well.

#pragma once

#include <string>
#include <vector>

namespace berth::envtest {

// Listens on its client URLs and answers /health and /version until a signal ends it. Returns the exit code.
int RunEtcd(const std::vector<std::string>& arguments);

}  // namespace berth::envtest
