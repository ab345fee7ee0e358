// SPDX-License-Identifier: Apache-2.0
// DefaultKubeconfig: which cluster a command is about that was not told.

#pragma once

#include <string>

namespace berth::app {

// What KUBECONFIG names, else the file that `berth up` writes into its folder.
std::string DefaultKubeconfig();

}  // namespace berth::app
