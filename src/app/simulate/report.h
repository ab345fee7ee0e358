// SPDX-License-Identifier: Apache-2.0
// Reports: what a finished simulation looks like to the user.

#pragma once

#include <string>

#include "api/json_writer.h"
#include "app/simulate/simulation.h"

namespace berth::simulate {

struct Summary {
  size_t running = 0;        // On nodes from the beginning to the end.
  size_t pending = 0;        // Everything that was to be scheduled, replacements of evicted pods included.
  size_t scheduled = 0;      // Of these: on a node at the end.
  size_t unschedulable = 0;  // Of these: no node, or an error.
  size_t gated = 0;
  size_t ignored = 0;
  size_t evicted = 0;  // Pods that lost their node.
};
Summary Summarize(const Simulation& simulation);

std::string_view FateName(Fate fate);

// For people: pods, reasons, evictions, nodes, one line of summary. With explanations if the simulation has them.
std::string TableReport(const Simulation& simulation);
// What does not fit and the last line, without the tables.
std::string SummaryReport(const Simulation& simulation);
// Explanations of one pod as text, indented.
std::string ExplanationText(const PodRecord& record);
std::string ExplanationText(const Explanation& explanation);

// For programs.
void WriteExplanation(api::JsonWriter& json, const Explanation& explanation);
std::string JsonReport(const Simulation& simulation);
std::string YamlReport(const Simulation& simulation);

}  // namespace berth::simulate
