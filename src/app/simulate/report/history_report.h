// SPDX-License-Identifier: Apache-2.0
// Reports of a timed simulation. Times are counted from its start.

#pragma once

#include <string>

#include "app/simulate/history/pod_life.h"

namespace berth::simulate {

std::string HistoryTable(const History& history);
// Pods that were never placed and the last line, without the tables.
std::string HistorySummaryText(const History& history);
std::string HistoryJson(const History& history);
std::string HistoryYaml(const History& history);

}  // namespace berth::simulate
