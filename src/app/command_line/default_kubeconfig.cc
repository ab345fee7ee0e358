// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/default_kubeconfig.h"

#include <cstdlib>

namespace berth::app {

std::string DefaultKubeconfig() {
  const char* named = std::getenv("KUBECONFIG");
  return named != nullptr && *named != '\0' ? named : "berth.kubeconfig";
}

}  // namespace berth::app
