// SPDX-License-Identifier: Apache-2.0
// What this build is.

#pragma once

#include <string>

namespace berth::app {

// "0.1.0".
std::string Version();

// "berth 0.1.0 (decides as kube-scheduler v1.37.1)".
std::string VersionText();

// "Berth 0.1.0".
std::string ProductName();

}  // namespace berth::app
