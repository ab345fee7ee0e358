// SPDX-License-Identifier: Apache-2.0
// The pods that the tests of filtering and scoring share.

#pragma once

#include <string>

#include "cluster/test_builders.h"

namespace berth::plugins {

inline cluster::PodBuilder Web(const std::string& name) { return cluster::PodBuilder(name).Label("app", "web"); }

}  // namespace berth::plugins
