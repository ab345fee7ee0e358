// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/version.h"

#include <fmt/format.h>

namespace berth::app {

std::string Version() { return BERTH_VERSION; }

std::string VersionText() { return fmt::format("berth {} (decides as kube-scheduler v1.37.1)", BERTH_VERSION); }

std::string ProductName() { return fmt::format("Berth {}", BERTH_VERSION); }

}  // namespace berth::app
