// SPDX-License-Identifier: Apache-2.0
// Plots of a timed simulation: queue lengths, utilisation and a histogram of waiting times.

#pragma once

#include <string>
#include <vector>

#include "app/simulate/history/pod_life.h"

namespace berth::simulate {

struct Plot {
  std::string file_name;
  std::string svg;
};
std::vector<Plot> MakePlots(const History& history);

}  // namespace berth::simulate
