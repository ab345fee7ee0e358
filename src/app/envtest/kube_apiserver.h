// SPDX-License-Identifier: Apache-2.0
// What stands where envtest looks for kube-apiserver: the API server of `berth up --api-only`, with the flags that
// envtest and its users give.

#pragma once

#include <string>
#include <vector>

namespace berth::envtest {

// Serves until a signal ends it. Returns the exit code.
int RunKubeApiServer(const std::vector<std::string>& arguments);

}  // namespace berth::envtest
